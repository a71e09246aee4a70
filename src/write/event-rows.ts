import type { Resource } from '../compile/model.ts'
import { eventColumns } from '../plan/events.ts'
import { bindSlots } from '../read/call.ts'
import type { StoredRow } from '../request/body.ts'
import { equalValues } from '../request/equal-values.ts'
import type { Transaction, Value } from '../store/store.ts'
import { idEnd } from './ids.ts'
import type { RowChange } from './row-change.ts'
import type { Writer } from './writer.ts'

export type EventKind = 'created' | 'updated' | 'deleted'

/** The event of a new row, as values in the order of `eventColumns`. */
export const createdEvent = (writer: Writer, resource: Resource, row: StoredRow): readonly Value[] =>
  eventValues(writer, resource, 'created', row, null)

/** Writes an event for every changed row, as a part of the transaction that changed it; resolves with their number. */
export async function writeEvents(
  writer: Writer,
  tx: Transaction,
  account: string,
  changes: readonly RowChange[],
): Promise<number> {
  const events = changes.flatMap((change) => eventOf(writer, change))
  for (let from = 0; from < events.length; ) {
    const count = sizeOf(events.length - from, tx.dialect.mostEventsAtOnce)
    const insert = writer.writes.insertEvents(count)
    const values = events.slice(from, from + count).flat()
    await tx.first(insert.text, bindSlots(insert.slots, { account, values }))
    from += count
  }
  return events.length
}

/** A power of two, so that there are few texts of statements. */
const sizeOf = (left: number, most: number): number => Math.min(most, 2 ** Math.floor(Math.log2(left)))

/** The net change of a row as at most one event. */
function eventOf(writer: Writer, { resource, before, after }: RowChange): readonly (readonly Value[])[] {
  if (!resource.events) return []
  if (before && after) {
    const former = changedValues(resource, before, after)
    return former ? [eventValues(writer, resource, 'updated', after, former)] : []
  }
  const row = after ?? before
  return row ? [eventValues(writer, resource, after ? 'created' : 'deleted', row, null)] : []
}

/** The former values of the fields that changed; null where none did. */
function changedValues(resource: Resource, before: StoredRow, after: StoredRow): StoredRow | null {
  const changed = resource.fields.filter(
    ({ name, writeOnly }) => name !== 'updated_at' && !writeOnly && !equalValues(before[name], after[name]),
  )
  return changed.length === 0 ? null : Object.fromEntries(changed.map(({ name }) => [name, before[name]]))
}

function eventValues(
  { model, now }: Writer,
  resource: Resource,
  kind: EventKind,
  row: StoredRow,
  former: StoredRow | null,
): readonly Value[] {
  const values: { readonly [C in (typeof eventColumns)[number]]: Value } = {
    kind,
    resource: resource.name,
    row_id: String(row.id),
    version: model.head.name,
    created_at: now(),
    id_end: idEnd(),
    data: JSON.stringify(shownValues(resource, row)),
    before: former && JSON.stringify(former),
  }
  return eventColumns.map((name) => values[name])
}

/** A row without what is never shown, such as a password: an event must not keep it. */
function shownValues(resource: Resource, row: StoredRow): StoredRow {
  if (!resource.fields.some(({ writeOnly }) => writeOnly)) return row
  const shown = resource.fields.filter(({ writeOnly }) => !writeOnly)
  return Object.fromEntries(shown.map(({ name }) => [name, row[name]]))
}
