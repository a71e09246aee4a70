import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import { bindSlots } from '../plan/bind-slots.ts'
import type { WritePlanner } from '../plan/write-planner.ts'
import type { Value, Write } from '../store/store.ts'
import { ChangeSet } from './change-set.ts'
import { createdEvent, writeEvents } from './event-rows.ts'
import { writeJobs } from './job-inserts.ts'
import { rowValues } from './row-change.ts'
import type { Writer } from './writer.ts'

/**
 * Changes rows as one transaction. `work` gets the change set, through which alone rows are changed. Whatever must be written
 * because of the changes, whichever way they came about, is written here, before the commit: `changes.changes` has them all.
 */
export async function changeRows<T>(
  writer: Writer,
  account: string,
  work: (changes: ChangeSet) => Promise<T>,
): Promise<T> {
  const { value, events, jobs } = await writer.store.transaction(async (tx) => {
    const changes = new ChangeSet(writer, tx, account)
    const value = await work(changes)
    await changes.settled()
    const events = writer.model.events ? await writeEvents(writer, tx, account, changes.changes) : 0
    await writeJobs(tx, account, changes.jobs)
    return { value, events, jobs: changes.jobs.length }
  }, account)
  if (events > 0) writer.events.committed(account, events)
  if (jobs > 0) writer.jobs.committed(account)
  return value
}

/** A row to insert, of which nothing else follows but its event. */
interface RowAlone {
  readonly account: string
  readonly resource: Resource
  readonly row: StoredRow
  /** The values of the row of its Idempotency-Key. */
  readonly key: readonly Value[] | null
}

/**
 * Inserts one row without an interactive transaction: as one statement, or with its event and its Idempotency-Key as one statement where
 * the database can insert into several tables with one, else as several. False when another request has the key; then nothing is written.
 */
export async function insertAlone(writer: Writer, alone: RowAlone): Promise<boolean> {
  const { account, resource, row } = alone
  const event = resource.events ? createdEvent(writer, resource, row) : null
  const inserted = await insertWith(writer, alone, event)
  if (inserted && event) writer.events.committed(account, 1)
  return inserted
}

async function insertWith(
  { store, writes, keys }: Writer,
  { account, resource, row, key }: RowAlone,
  event: readonly Value[] | null,
): Promise<boolean> {
  const values = rowValues(resource, account, row)
  const { text, slots } = writes.insert(resource)
  const insert = { sql: text, values: bindSlots(slots, { account, values }) }
  if (!key && !event) return (await store.writeOne(insert.sql, insert.values, account)) > 0
  const told = event && eventWrite(writes, account, event)
  if (store.writeClaimed) {
    const [name = ''] = key ?? []
    const claim = key && { claim: keys.claimWrite(account, key), release: keys.releaseWrite(account, name) }
    return store.writeClaimed({ ...claim, write: insert, ...(told && { also: told }) }, account)
  }
  const all = writes.insertAlong(resource, { key: key !== null, event: event !== null })
  const bindings = bindSlots(all.slots, { account, values: [...values, ...(key ?? []), ...(event ?? [])] })
  return (await store.writeOne(all.text, bindings, account)) > 0
}

function eventWrite(writes: WritePlanner, account: string, values: readonly Value[]): Write {
  const { text, slots } = writes.insertEvent()
  return { sql: text, values: bindSlots(slots, { account, values }) }
}
