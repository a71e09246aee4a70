import type { Caller } from '../call/caller.ts'
import type { Target } from '../call/target.ts'
import type { ListPart } from '../compile/change-kinds/usage-traces.ts'
import type { Version } from '../compile/model.ts'

/** The parts of its version that a request uses. */
export interface Uses {
  /** Include paths, parents among them. */
  readonly include: readonly string[]
  readonly filters: readonly string[]
  readonly sorts: readonly string[]
  /** Names of the members sent. The client chose them, so they may be no fields. */
  readonly fields: readonly string[]
  /** What was asked of a list besides. */
  readonly lists: readonly ListPart[]
}

export const nothingUsed: Uses = Object.freeze({ include: [], filters: [], sorts: [], fields: [], lists: [] })

/** What is known of a request when it ends. */
export interface Use {
  readonly target: Target | null
  readonly caller: Caller | null
  readonly uses: Uses
}

/** Counts in memory, for every request, so it must be fast. */
export interface UsageRecorder {
  count(method: string, status: number, use: Use): void
  /** A response of that version carried a Deprecation header. */
  signalled(version: Version): void
}
