import { type Dialect, ident } from './dialect.ts'
import { eventColumns, eventTable, headTable, idSql, inboxTable, positionsPerMs } from './events.ts'

const table = ident(eventTable)
const inbox = ident(inboxTable)
const heads = ident(headTable)

/** How many events of an account get their positions in one statement. */
export const mostMoved = 1_000

/**
 * Bound: the account, or the accounts as a JSON array where several are moved at once. With `= ANY(ARRAY(…))` PostgreSQL uses an index; with
 * `IN (…)` it may read the whole inbox each time, most of whose pages are full of events that were taken before.
 */
const isAsked = (column: string, dialect: Dialect): string =>
  dialect.accountsMovedAtOnce > 1
    ? `${column} = ANY(ARRAY(${dialect.listed(dialect.param(1, 'json'))}))`
    : `${column} = ${dialect.param(1, 'id')}`

/** Makes the rows that `moveEvents` locks, where they are missing. In the order of accounts, so that two such statements do not block each other. */
export function insertHeads(dialect: Dialect): string {
  const columns = `INSERT INTO ${heads} ("account_id", "last", "swept")`
  const whenKnown = 'ON CONFLICT ("account_id") DO NOTHING'
  if (dialect.accountsMovedAtOnce === 1)
    return `${columns} VALUES (${dialect.param(1, 'id')}, 0, 0) ${whenKnown}`
  const listed = dialect.listed(dialect.param(1, 'json'))
  return `${columns} SELECT a, 0, 0 FROM (${listed}) l(a) ORDER BY a ${whenKnown}`
}

/**
 * Gives positions to the oldest events of the accounts' inboxes, and writes a row for each account that had any and has a head.
 *
 * The events of an account are looked for by way of its head, so its head is locked before any of them is taken. A statement that had to
 * wait for another one gets the last position of that one, and skips the events that were taken meanwhile. Heads are locked in the order of
 * accounts, so that two statements do not block each other.
 *
 * The inbox numbers events when they are written. Two events of one row have the right order by their numbers: the later transaction had
 * to wait for the earlier one before it could change the row, and it writes its events last. On a cluster every node counts for itself, so
 * that events are ordered by their times first, which are as exact as the clocks of the processes.
 *
 * Every table is filtered by the account itself: Citus then knows that all of the statement is for one node.
 */
export function moveEvents(dialect: Dialect): string {
  const kept = eventColumns.filter((name) => name !== 'id_end').map(ident)
  const head = `SELECT "account_id", "last" FROM ${heads} WHERE ${isAsked('"account_id"', dialect)} ORDER BY "account_id" FOR UPDATE`
  const order = (alias: string): string =>
    dialect.numbersInOrder ? `${alias}"number"` : `ARRAY[${alias}"created_at", ${alias}"number"]`
  const oldest = `SELECT ${order('i.')} AS "order" FROM ${inbox} i WHERE ${isAsked('i."account_id"', dialect)} AND i."account_id" = h."account_id" ORDER BY 1 LIMIT ${mostMoved}`
  const upTo = `SELECT h."account_id", (SELECT max(o."order") FROM (${oldest}) o) AS "order" FROM head h`
  const taken = `DELETE FROM ${inbox} i USING up_to u WHERE ${isAsked('i."account_id"', dialect)} AND i."account_id" = u."account_id" AND ${order('i.')} <= u."order" RETURNING i.*`
  const counted = `SELECT row_number() OVER (PARTITION BY t."account_id" ORDER BY ${order('t.')}) AS n, h."last", t.* FROM taken t JOIN head h ON h."account_id" = t."account_id"`
  // The time of the event, or one more than the position before it.
  const placed = `SELECT n + greatest("last", max("created_at" * ${positionsPerMs} - n) OVER (PARTITION BY "account_id" ORDER BY n)) AS p, c.* FROM (${counted}) c`
  const moved = `INSERT INTO ${table} ("account_id", "position", "id", ${kept.join(', ')}) SELECT "account_id", p, ${idSql(dialect, 'p', '"id_end"')}, ${kept.join(', ')} FROM (${placed}) d RETURNING "account_id", "position"`
  const newest = `SELECT "account_id", max("position") AS "last" FROM moved GROUP BY "account_id"`
  const remember = `UPDATE ${heads} h SET "last" = n."last" FROM (${newest}) n WHERE ${isAsked('h."account_id"', dialect)} AND h."account_id" = n."account_id"`
  return `WITH head AS (${head}), up_to AS (${upTo}), taken AS (${taken}), moved AS (${moved}) ${remember}`
}
