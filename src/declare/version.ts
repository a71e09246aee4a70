import type { Change } from './change.ts'

/** A promise to consumers: `/v1/…`. Dates are calendar days, UTC. */
export interface VersionDeclaration {
  readonly kind: 'version'
  readonly name: string
  readonly published?: string
  readonly deprecated?: string
  readonly sunset?: string
  /** What became of this version on the way to the next newer one; empty for the newest. */
  readonly changes: readonly Change[]
}

export const version = (
  name: string,
  options: Omit<VersionDeclaration, 'kind' | 'name' | 'changes'> & {
    readonly changes?: readonly Change[]
  } = {},
): VersionDeclaration => Object.freeze({ kind: 'version', ...options, changes: options.changes ?? [], name })
