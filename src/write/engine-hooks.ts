import type { Call } from '../call/call.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import type { Transaction } from '../store/store.ts'

/** What the hooks use of the change set. */
export interface HookChanges {
  readonly tx: Transaction
  readonly account: string
  lock(resource: Resource, id: string, lock: 'to-change'): Promise<{ readonly row: StoredRow } | null>
  insert(resource: Resource, row: StoredRow): Promise<{ readonly row: StoredRow }>
}

/** Code around one write of a resource that the engine itself adds to an API. It runs within the write's transaction. */
export interface EngineHooks {
  /** Judges a new row, and returns fields to set. */
  beforeCreate?(row: StoredRow, changes: HookChanges): Promise<StoredRow>
  /** Returns fields that the answer to this create shows, and no other answer: not even its replay. */
  afterCreate?(row: StoredRow, changes: HookChanges): Promise<StoredRow>
  /** Judges a change, and returns fields to set. */
  beforeUpdate?(next: StoredRow, before: StoredRow, changes: HookChanges): Promise<StoredRow>
  afterUpdate?(row: StoredRow, before: StoredRow, changes: HookChanges): Promise<void>
}

/** Makes the hooks of a write before its transaction begins, and reads what they need from elsewhere. `values` are what was sent. */
export type EngineHooksOf = (call: Call, values: StoredRow) => Promise<EngineHooks>

export const noEngineHooks: EngineHooks = Object.freeze({})
