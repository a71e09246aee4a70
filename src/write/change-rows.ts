import type { Resource } from '../compile/model.ts'
import { bound } from '../plan/bind.ts'
import { bindSlots } from '../read/call.ts'
import type { StoredRow } from '../request/body.ts'
import type { Value } from '../store/store.ts'
import { ChangeSet } from './change-set.ts'
import type { Writer } from './writer.ts'

/**
 * Changes rows as one transaction. `work` gets the change set, through which alone rows are changed. Whatever must be written
 * because of the changes, whichever way they came about, is written here, before the commit: `changes.changes` has them all.
 */
export const changeRows = <T>(
  writer: Writer,
  account: string,
  work: (changes: ChangeSet) => Promise<T>,
): Promise<T> =>
  writer.store.transaction(async (tx) => {
    const changes = new ChangeSet(writer, tx, account)
    const value = await work(changes)
    await changes.settled()
    return value
  })

/**
 * Inserts one row, of which nothing else follows, without an interactive transaction: as one statement, or with its
 * Idempotency-Key (`key` are the values of its row) as one statement where the database can insert into two tables with one,
 * else as two. False when another request has the key; then nothing is written.
 */
export async function insertAlone(
  { store, writes, keys }: Writer,
  account: string,
  resource: Resource,
  row: StoredRow,
  key: readonly Value[] | null,
): Promise<boolean> {
  const values = resource.fields.map((field) => bound(field, row[field.name]))
  if (key && !store.writeClaimed) {
    const both = writes.insertWithKey(resource)
    const bindings = bindSlots(both.slots, { account, values: [...values, ...key] })
    return (await store.writeOne(both.text, bindings)) > 0
  }
  const { text, slots } = writes.insert(resource)
  const insert = { sql: text, values: bindSlots(slots, { account, values }) }
  if (!key || !store.writeClaimed) return (await store.writeOne(insert.sql, insert.values)) > 0
  const [name = ''] = key
  const claim = keys.claimWrite(account, key)
  return store.writeClaimed({ claim, write: insert, release: keys.releaseWrite(account, name) })
}
