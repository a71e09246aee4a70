import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import type { Lock } from '../plan/row-statements.ts'
import type { Row } from '../store/store.ts'
import type { LockedRow, RowChange } from './row-change.ts'
import { RowMap } from './row-map.ts'

/** A change to which further writes of the same row are added: they replace `after`. */
type Changed = RowChange & { after: RowChange['after'] }

const strength: { readonly [L in Lock]: number } = { 'to-change': 1, 'to-delete': 2 }

/**
 * The rows that one transaction has locked or written, and what became of each. Nobody else can change them before the transaction
 * ends, so they are read once.
 */
export class RowsInHand {
  readonly #locked = new RowMap<LockedRow & { readonly lock: Lock }>()
  readonly #changed = new RowMap<Changed>()
  /** The same, in the order of the first change. */
  readonly #inOrder: Changed[] = []

  /** Every row that differs from what it was before the transaction, in the order of the first change. */
  get changes(): readonly RowChange[] {
    return this.#inOrder.filter(({ before, after }) => before !== after)
  }

  /** The row, where it is locked at least as strongly. */
  find(resource: Resource, id: string, lock: Lock): LockedRow | null {
    const known = this.#locked.get(resource, id)
    return known && strength[known.lock] >= strength[lock] ? known : null
  }

  demand(resource: Resource, id: string): LockedRow {
    const known = this.#locked.get(resource, id)
    if (!known) throw new Error(`A row of ${resource.name} is changed that was not locked`)
    return known
  }

  /** A row that a statement has locked. */
  locked(resource: Resource, [json, version]: Row, lock: Lock): LockedRow {
    const known = { row: JSON.parse(String(json)) as StoredRow, version: Number(version), lock }
    this.#locked.set(resource, String(known.row.id), known)
    return known
  }

  /** A row that a statement has inserted and read. Nobody else sees it yet, so it is as good as locked. */
  inserted(resource: Resource, stored: Row): LockedRow {
    const known = this.locked(resource, stored, 'to-delete')
    this.note(resource, null, known.row)
    return known
  }

  /** A locked row that a statement has changed and read. */
  rewritten(resource: Resource, before: StoredRow, stored: Row): LockedRow {
    const lock = this.#locked.get(resource, String(before.id))?.lock ?? 'to-change'
    const after = this.locked(resource, stored, lock)
    this.note(resource, before, after.row)
    return after
  }

  removed(resource: Resource, row: StoredRow): void {
    this.#locked.delete(resource, String(row.id))
    this.note(resource, row, null)
  }

  /** The row as it is now: a sum on the row itself may have changed it once more. */
  latest(resource: Resource, written: LockedRow): LockedRow {
    return this.#locked.get(resource, String(written.row.id)) ?? written
  }

  /** What a row was before a statement and is after it, for `changes`: what it was before the transaction, and is now. */
  note(resource: Resource, before: StoredRow | null, after: StoredRow | null): RowChange {
    const id = String((after ?? before)?.id)
    const known = this.#changed.get(resource, id)
    if (known) {
      known.after = after
      return known
    }
    const change = { resource, id, before, after }
    this.#changed.set(resource, id, change)
    this.#inOrder.push(change)
    return change
  }
}
