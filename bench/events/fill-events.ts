import { eventTable, headTable, idSql } from '../../src/plan/events.ts'
import { openStore } from '../../src/store/open.ts'

const copied = ['kind', 'resource', 'row_id', 'version', 'created_at', 'data', 'before']
  .map((name) => `"${name}"`)
  .join(', ')
const most = 50_000

/** Adds events to an account, as copies of its newest one. */
export async function fillEvents(databaseUrl: string, account: string, count: number): Promise<void> {
  const store = await openStore(databaseUrl)
  const ofAccount = `"account_id" = '${account}'`
  const newest = `SELECT * FROM ${eventTable} WHERE ${ofAccount} ORDER BY "position" DESC LIMIT 1`
  const id = idSql(store.dialect, 'p', 'substr("id", 20)')
  for (let left = count; left > 0; left -= most) {
    const numbers = `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${Math.min(left, most)})`
    const placed = `SELECT e.*, e."position" + n AS p FROM (${newest}) e, n`
    const text = `INSERT INTO ${eventTable} ("account_id", "position", "id", ${copied}) SELECT "account_id", p, ${id}, ${copied} FROM (${placed}) c`
    await store.writeOne(`${numbers} ${text}`, [])
  }
  await store.writeOne(
    `UPDATE ${headTable} SET "last" = (SELECT max("position") FROM ${eventTable} WHERE ${ofAccount}) WHERE ${ofAccount}`,
    [],
  )
  await store.close()
}
