import type { Version } from '../compile/model.ts'
import type { Caller } from '../request/caller.ts'
import type { Target } from '../request/route.ts'

/** What a request shows it uses of its version. */
export interface Uses {
  /** Include paths, parents among them. */
  readonly include: readonly string[]
  readonly filters: readonly string[]
  readonly sorts: readonly string[]
  /** Names of the fields sent; whatever the client wrote, so they may be no fields at all. */
  readonly fields: readonly string[]
}

export const nothingUsed: Uses = Object.freeze({ include: [], filters: [], sorts: [], fields: [] })

/** How far a request came: its walk. */
export interface Use {
  readonly target: Target | null
  readonly caller: Caller | null
  readonly uses: Uses
}

/** Counts in memory; must cost next to nothing. */
export interface UsageRecorder {
  count(method: string, status: number, use: Use): void
  /** A response of that version carried a Deprecation header. */
  signalled(version: Version): void
}

/** Which versions have been retired: read by every request, changed by a decision in the store. */
export interface Retirement {
  isRetired(version: Version): boolean
  /** The nearest newer version that is still served. */
  successorOf(version: Version): Version | null
}
