import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import { entryArray } from '../plan/audit.ts'
import { eventArray } from '../plan/events.ts'
import { arrayValues, type RowArray } from '../plan/row-array.ts'
import type { RowStatement } from '../plan/row-statements.ts'
import { rowArray } from '../plan/write-statements.ts'
import type { Value, Write } from '../store/store.ts'
import type { Actor } from './actor.ts'
import { entryValues, hasEntry, writeEntries } from './audit-rows.ts'
import { ChangeSet } from './change-set.ts'
import { eventValues, writeEvents } from './event-rows.ts'
import { writeJobs } from './job-inserts.ts'
import { boundRow, rowValues } from './row-change.ts'
import { historyOf, historyOfNew, type RowHistory } from './row-history.ts'
import type { Writer } from './writer.ts'

/**
 * Changes rows as one transaction. `work` gets the change set, through which alone rows are changed. Whatever must be written
 * because of the changes, whichever way they came about, is written here, before the commit: `changes.changes` has them all.
 */
export async function changeRows<T>(
  writer: Writer,
  by: { readonly account: string; readonly actor: Actor },
  work: (changes: ChangeSet) => Promise<T>,
): Promise<T> {
  const { account } = by
  const { value, events, jobs } = await writer.store.transaction(async (tx) => {
    const changes = new ChangeSet(writer, tx, account)
    const value = await work(changes)
    await changes.settled()
    const noted = changes.changes.filter(({ resource }) => resource.events || hasEntry(resource, by.actor))
    const histories = noted.flatMap((change) => historyOf(writer, change) ?? [])
    const events = writer.model.events ? await writeEvents(writer, tx, account, histories) : 0
    await writeEntries(writer, tx, by, histories)
    await writeJobs(tx, account, changes.jobs)
    return { value, events, jobs: changes.jobs.length }
  }, account)
  if (events > 0) writer.events.committed(account, events)
  if (jobs > 0) writer.jobs.committed(account)
  return value
}

/** A row to insert, of which nothing else follows but its event and its audit entry. */
interface RowAlone extends Alone {
  readonly row: StoredRow
}

/** The same of the rows of a list. */
interface RowsAlone extends Alone {
  readonly rows: readonly StoredRow[]
}

interface Alone {
  readonly account: string
  readonly actor: Actor
  readonly resource: Resource
  /** The values of the row of the Idempotency-Key. */
  readonly key: readonly Value[] | null
}

/**
 * Inserts one row without an interactive transaction: as one statement, or with what tells of it and its Idempotency-Key as one statement where
 * the database can insert into several tables with one, else as several. False when another request has the key; then nothing is written.
 */
export async function insertAlone(writer: Writer, alone: RowAlone): Promise<boolean> {
  const { account, actor, resource, row } = alone
  const entered = hasEntry(resource, actor)
  const history = resource.events || entered ? historyOfNew(writer, resource, row) : null
  const now = writer.now()
  const inserted = await insertWith(writer, alone, {
    event: history && resource.events ? eventValues(history, now) : null,
    entry: history && entered ? entryValues(actor, history, now) : null,
  })
  if (inserted && resource.events) writer.events.committed(account, 1)
  return inserted
}

/**
 * Inserts rows as one statement, with what tells of them and their Idempotency-Key, where the database can insert into several tables with one;
 * else in a transaction. False when another request has the key; then nothing is written.
 */
export async function insertManyAlone(writer: Writer, alone: RowsAlone): Promise<boolean> {
  const { store, writes, keys } = writer
  const { account, actor, resource, rows, key } = alone
  const whole = rows.map((row) => ({ row, version: firstVersion }))
  if (store.dialect.insertsAlong !== 'in one query')
    return changeRows(writer, { account, actor }, async (changes) => {
      if (key && !(await keys.claim(changes.tx, account, key))) return false
      await changes.insertMany(resource, whole, () => false)
      return true
    })
  const entered = hasEntry(resource, actor)
  const histories = resource.events || entered ? rows.map((row) => historyOfNew(writer, resource, row)) : []
  const now = writer.now()
  const array = arrayValues(
    rowArray(resource),
    whole.map((row) => boundRow(resource, account, row)),
  )
  const noted = (array: RowArray, valuesOf: (one: RowHistory) => readonly Value[]) =>
    arrayValues(array, histories.map(valuesOf))
  const event = resource.events ? noted(eventArray, (one) => eventValues(one, now)) : null
  const entry = entered ? noted(entryArray, (one) => entryValues(actor, one, now)) : null
  const along = writes.insertManyAlong(resource, {
    key: key !== null,
    rows: array.alike,
    events: event?.alike ?? null,
    entries: entry?.alike ?? null,
  })
  const values = along.bind({
    account,
    row: array.values,
    key,
    event: event?.values ?? null,
    entry: entry?.values ?? null,
  })
  if ((await store.writeOne(along.text, values, account)) === 0) return false
  if (resource.events) writer.events.committed(account, rows.length)
  return true
}

/** The version that every row is inserted with. */
export const firstVersion = 1

/** The values of the rows that tell of a new row. */
interface Noted {
  readonly event: readonly Value[] | null
  readonly entry: readonly Value[] | null
}

async function insertWith(
  { store, writes, keys }: Writer,
  { account, resource, row, key }: RowAlone,
  { event, entry }: Noted,
): Promise<boolean> {
  const values = rowValues(resource, account, row)
  const insert = bound(account, writes.insert(resource), values)
  if (!key && !event && !entry) return (await store.writeOne(insert.sql, insert.values, account)) > 0
  if (store.writeClaimed) {
    const [name = ''] = key ?? []
    const claim = key && { claim: keys.claimWrite(account, key), release: keys.releaseWrite(account, name) }
    const also = [
      ...(event ? [bound(account, writes.insertEvent(), event)] : []),
      ...(entry ? [bound(account, writes.insertEntry(), entry)] : []),
    ]
    return store.writeClaimed({ ...claim, write: insert, also }, account)
  }
  const along = writes.insertAlong(resource, {
    key: key !== null,
    event: event !== null,
    entry: entry !== null,
  })
  const whole = along.bind({ account, row: values, key, event, entry })
  return (await store.writeOne(along.text, whole, account)) > 0
}

const bound = (account: string, { text, bind }: RowStatement, values: readonly Value[]): Write => ({
  sql: text,
  values: bind({ account, values }),
})
