import type { StoredRow } from '../call/stored-row.ts'
import { positionsPerMs } from '../plan/events.ts'
import type { Row } from '../store/store.ts'
import type { HistoryKind } from '../write/row-history.ts'

/** A change of a row as it is stored: the row in the names of the version that was the head when it was written. */
export interface StoredChange {
  readonly resource: string
  /** The version that was the head when the change was written. */
  readonly version: string
  readonly data: StoredRow
  /** For an update: the former values of the fields that changed. */
  readonly before: StoredRow | null
}

/** An event as it is stored. */
export interface EventRow extends StoredChange {
  readonly account: string
  /** Grows with every event of the account, in the order in which events can be read. */
  readonly position: number
  readonly id: string
  readonly kind: HistoryKind
  readonly rowId: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

/** From the columns that statements read, in the order of `readColumns`. */
export function eventRow(account: string, columns: Row): EventRow {
  const [position, id, kind, resource, rowId, version, createdAt, data, before] = columns
  return {
    account,
    position: Number(position),
    id: String(id),
    kind: kind as HistoryKind,
    resource: String(resource),
    rowId: String(rowId),
    version: String(version),
    createdAt: Number(createdAt),
    data: JSON.parse(String(data)) as StoredRow,
    before: before === null ? null : (JSON.parse(String(before)) as StoredRow),
  }
}

const idForm = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The position that an event's id stands for; null where the text is no id of an event. */
export function positionOfId(id: string): number | null {
  const [, high = '', low = '', count = ''] = idForm.exec(id) ?? []
  if (count === '') return null
  return Number.parseInt(high + low, 16) * positionsPerMs + Number.parseInt(count, 16)
}
