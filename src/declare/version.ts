import type { Change } from './change.ts'

/** A promise to consumers: `/v1/…`. Dates are calendar days, UTC. */
export interface VersionDeclaration<C extends Change = Change, N extends string = string> {
  readonly kind: 'version'
  readonly name: N
  readonly published?: string
  readonly deprecated?: string
  readonly sunset?: string
  /** What became of this version on the way to the next newer one; empty for the newest. */
  readonly changes: readonly C[]
}

export const version = <const N extends string, const C extends Change = Change>(
  name: N,
  options: Omit<VersionDeclaration, 'kind' | 'name' | 'changes'> & { readonly changes?: readonly C[] } = {},
): VersionDeclaration<C, N> =>
  Object.freeze({ kind: 'version', ...options, changes: options?.changes ?? [], name })
