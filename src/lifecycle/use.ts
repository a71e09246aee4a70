import type { Version } from '../compile/model.ts'
import type { Caller } from '../request/caller.ts'

/** What one request shows of how its version is used. */
export interface Use {
  readonly version: Version
  /** `GET /orders/{id}` */
  readonly operation: string
  readonly caller: Caller | null
  /** Canonical include paths. */
  readonly include: string
  readonly filters: readonly string[]
  readonly sorts: readonly string[]
  /** Names of the fields sent. */
  readonly fields: readonly string[]
}

/** Counts uses in memory; must cost next to nothing. */
export interface UsageRecorder {
  count(use: Use): void
}

/** Which versions have been retired: read by every request, changed by a decision in the store. */
export interface Retirement {
  isRetired(version: Version): boolean
}
