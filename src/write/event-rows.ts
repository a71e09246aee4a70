import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import { equalValues } from '../kinds/equal-values.ts'
import { bindSlots } from '../plan/bind-slots.ts'
import { eventName, storedForm, writtenVersion } from '../plan/event-form.ts'
import { eventColumns, keptColumns, mostWaiting, positionsPerMs } from '../plan/events.ts'
import type { WritePlanner } from '../plan/write-planner.ts'
import type { Transaction, Value } from '../store/store.ts'
import { idEnd, uuidV7 } from './ids.ts'
import type { RowChange } from './row-change.ts'
import type { Writer } from './writer.ts'

export type EventKind = 'created' | 'updated' | 'deleted'

/** A new event by its columns, before it has a position. */
type NewEvent = { readonly [C in (typeof eventColumns)[number]]: Value } & { readonly created_at: number }

/** The event of a new row, as values in the order of `eventColumns`. */
export const createdEvent = (writer: Writer, resource: Resource, row: StoredRow): readonly Value[] =>
  waitingValues(newEvent(writer, resource, 'created', row, null))

/** Writes an event for every changed row, as a part of the transaction that changed it; resolves with their number. */
export async function writeEvents(
  writer: Writer,
  tx: Transaction,
  account: string,
  changes: readonly RowChange[],
): Promise<number> {
  const events = changes.flatMap((change) => eventOf(writer, change) ?? [])
  if (events.length === 0) return 0
  const write = tx.dialect.commitsInOrder ? writePlaced : writeWaiting
  await write(writer.writes, tx, account, events)
  return events.length
}

/** Nobody else writes until the transaction ends, so that the positions after the last one are free. */
async function writePlaced(
  writes: WritePlanner,
  tx: Transaction,
  account: string,
  events: readonly NewEvent[],
): Promise<void> {
  const last = writes.lastPosition()
  const [newest] = (await tx.first(last.text, bindSlots(last.slots, { account }))) ?? []
  const { text, slots } = writes.insertPlaced()
  let position = Number(newest)
  for (const event of events) {
    position = Math.max(position + 1, event.created_at * positionsPerMs)
    const id = uuidV7(Math.floor(position / positionsPerMs), position % positionsPerMs, String(event.id_end))
    const values = [position, id, ...keptColumns.map((name) => event[name])]
    await tx.first(text, bindSlots(slots, { account, values }))
  }
}

async function writeWaiting(
  writes: WritePlanner,
  tx: Transaction,
  account: string,
  events: readonly NewEvent[],
): Promise<void> {
  for (let from = 0; from < events.length; ) {
    const count = sizeOf(events.length - from)
    const { text, slots } = writes.insertWaiting(count)
    const values = events.slice(from, from + count).flatMap(waitingValues)
    await tx.first(text, bindSlots(slots, { account, values }))
    from += count
  }
}

const waitingValues = (event: NewEvent): readonly Value[] => eventColumns.map((name) => event[name])

/** A power of two, so that there are few texts of statements. */
const sizeOf = (left: number): number => Math.min(mostWaiting, 2 ** Math.floor(Math.log2(left)))

/** The net change of a row; null where nobody is told of it. */
function eventOf(writer: Writer, { resource, before, after }: RowChange): NewEvent | null {
  if (!resource.events) return null
  if (before && after) {
    const former = changedValues(resource, before, after)
    return former && newEvent(writer, resource, 'updated', after, former)
  }
  const row = after ?? before
  return row && newEvent(writer, resource, after ? 'created' : 'deleted', row, null)
}

/** The former values of the fields that changed; null where none did. */
function changedValues(resource: Resource, before: StoredRow, after: StoredRow): StoredRow | null {
  const changed = resource.fields.filter(
    ({ name, writeOnly }) => name !== 'updated_at' && !writeOnly && !equalValues(before[name], after[name]),
  )
  return changed.length === 0 ? null : Object.fromEntries(changed.map(({ name }) => [name, before[name]]))
}

const newEvent = (
  { model, now }: Writer,
  resource: Resource,
  kind: EventKind,
  row: StoredRow,
  former: StoredRow | null,
): NewEvent => ({
  kind,
  resource: eventName(resource.table),
  row_id: String(row.id),
  version: writtenVersion(model),
  created_at: now(),
  id_end: idEnd(),
  data: JSON.stringify(storedForm(resource, shownValues(resource, row))),
  before: former && JSON.stringify(storedForm(resource, former)),
})

/** A row without what is never shown, such as a password: an event must not keep it. */
function shownValues(resource: Resource, row: StoredRow): StoredRow {
  if (!resource.fields.some(({ writeOnly }) => writeOnly)) return row
  const shown = resource.fields.filter(({ writeOnly }) => !writeOnly)
  return Object.fromEntries(shown.map(({ name }) => [name, row[name]]))
}
