import { eventArray, eventColumns, keptColumns, positionsPerMs } from '../plan/events.ts'
import type { WritePlanner } from '../plan/write-planner.ts'
import type { Transaction, Value } from '../store/store.ts'
import { idEnd, uuidV7 } from './ids.ts'
import { insertAtOnce } from './inserted-at-once.ts'
import type { RowHistory } from './row-history.ts'
import type { Writer } from './writer.ts'

/** A new event by its columns, before it has a position. */
type NewEvent = { readonly [C in (typeof eventColumns)[number]]: Value } & { readonly created_at: number }

/** The event of a change, as values in the order of `eventColumns`. */
export const eventValues = (history: RowHistory, at: number): readonly Value[] =>
  waitingValues(newEvent(history, at))

/** Writes an event for every changed row, as a part of the transaction that changed it; resolves with their number. */
export async function writeEvents(
  writer: Writer,
  tx: Transaction,
  account: string,
  histories: readonly RowHistory[],
): Promise<number> {
  const withEvents = histories.filter(({ resource, isShown }) => resource.events && isShown)
  const at = writer.now()
  const events = withEvents.map((history) => newEvent(history, at))
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
  const [newest] = (await tx.first(last.text, last.bind({ account }))) ?? []
  let position = Number(newest)
  const placed = events.map((event): readonly Value[] => {
    position = Math.max(position + 1, event.created_at * positionsPerMs)
    const id = uuidV7(Math.floor(position / positionsPerMs), position % positionsPerMs, String(event.id_end))
    return [position, id, ...keptColumns.map((name) => event[name])]
  })
  await insertAtOnce(tx, account, placed, { array: null, ofValues: (count) => writes.insertPlaced(count) })
}

const writeWaiting = (
  writes: WritePlanner,
  tx: Transaction,
  account: string,
  events: readonly NewEvent[],
): Promise<void> =>
  insertAtOnce(tx, account, events.map(waitingValues), {
    array: { as: eventArray, insert: (alike) => writes.insertArray(eventArray, alike) },
    ofValues: (count) => writes.insertWaiting(count),
  })

const waitingValues = (event: NewEvent): readonly Value[] => eventColumns.map((name) => event[name])

const newEvent = (history: RowHistory, at: number): NewEvent => ({
  kind: history.kind,
  resource: history.name,
  row_id: history.rowId,
  version: history.version,
  created_at: at,
  id_end: idEnd(),
  data: history.data,
  before: history.before,
})
