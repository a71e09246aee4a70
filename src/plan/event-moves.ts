import { type Bound, statement } from './bound-statement.ts'
import { type Dialect, ident, idents } from './dialect.ts'
import {
  eventTable,
  headTable,
  idSql,
  inboxTable,
  keptColumns,
  placedColumns,
  positionsPerMs,
} from './events.ts'

const table = ident(eventTable)
const inbox = ident(inboxTable)
const heads = ident(headTable)

/** How many events of an account get their positions in one statement. */
export const mostMoved = 1_000

/**
 * Where transactions do not commit in the order in which they write (`commitsInOrder`), a new event waits in the inbox without a
 * position. When somebody reads the events of an account, `moveEvents` moves the oldest ones from the inbox into the table of events and
 * gives each its position, in one statement: an event is always in one of the two tables and never in both.
 *
 * For example, the last position of an account is 7000 and its inbox has events of the milliseconds 5 and 9. Their positions become 7001
 * (the clock would give 5000, but positions grow) and 9000, and 9000 is remembered as the last one, in the account's row of the heads.
 *
 * The statement writes a row for each account that had events in its inbox and has a head.
 */
export const moveEvents = (dialect: Dialect, accounts: readonly string[]): Bound =>
  statement(dialect, (bind) => {
    const isAsked = askedFor(dialect.listed(bind('json', JSON.stringify(accounts))))
    return `WITH head AS (${lockHeads(isAsked)}), up_to AS (${lastToTake(isAsked)}), taken AS (${takeEvents(isAsked)}), moved AS (${writeEvents(dialect)}) ${rememberLast(isAsked)}`
  })

/** Whether a column has one of the accounts. */
type IsAsked = (column: string) => string

/**
 * With `= ANY(ARRAY(…))` PostgreSQL uses an index; with `IN (…)` it may read the whole inbox each time,
 * most of whose pages are full of events that were taken before.
 */
const askedFor =
  (listed: string): IsAsked =>
  (column) =>
    `${column} = ANY(ARRAY(${listed}))`

/** Makes the rows that `moveEvents` locks, where they are missing. In the order of accounts, so that two such statements do not block each other. */
export const insertHeads = (dialect: Dialect, accounts: readonly string[]): Bound =>
  statement(dialect, (bind) => {
    const listed = dialect.listed(bind('json', JSON.stringify(accounts)))
    return `INSERT INTO ${heads} ("account_id", "last", "swept") SELECT a, 0, 0 FROM (${listed}) l(a) ORDER BY a ON CONFLICT ("account_id") DO NOTHING`
  })

/**
 * Locks the heads, and with them the inboxes of their accounts: all that follows goes by way of the head. A statement that had to wait for
 * another one gets the last position of that one, and skips the events that were taken meanwhile. Heads are locked in the order of
 * accounts, so that two statements do not block each other.
 */
const lockHeads = (isAsked: IsAsked): string =>
  `SELECT "account_id", "last" FROM ${heads} WHERE ${isAsked('"account_id"')} ORDER BY "account_id" FOR UPDATE`

/**
 * The number up to which each account's events are taken. The inbox numbers them when they are written. Two events of one row have the right
 * order by their numbers: the later transaction had to wait for the earlier one before it could change the row, and it writes its events last.
 */
const lastToTake = (isAsked: IsAsked): string => {
  const oldest = `SELECT i."number" FROM ${inbox} i WHERE ${isAsked('i."account_id"')} AND i."account_id" = h."account_id" ORDER BY 1 LIMIT ${mostMoved}`
  return `SELECT h."account_id", (SELECT max(o."number") FROM (${oldest}) o) AS "number" FROM head h`
}

const takeEvents = (isAsked: IsAsked): string =>
  `DELETE FROM ${inbox} i USING up_to u WHERE ${isAsked('i."account_id"')} AND i."account_id" = u."account_id" AND i."number" <= u."number" RETURNING i.*`

/** The position `p` of each event that was taken: that of its time, or one more than the position before it, whichever is greater. */
const givePositions = (): string => {
  const counted = `SELECT row_number() OVER (PARTITION BY t."account_id" ORDER BY t."number") AS n, h."last", t.* FROM taken t JOIN head h ON h."account_id" = t."account_id"`
  return `SELECT n + greatest("last", max("created_at" * ${positionsPerMs} - n) OVER (PARTITION BY "account_id" ORDER BY n)) AS p, c.* FROM (${counted}) c`
}

const writeEvents = (dialect: Dialect): string => {
  const kept = idents(keptColumns)
  return `INSERT INTO ${table} (${placedColumns}) SELECT "account_id", p, ${idSql(dialect, 'p', '"id_end"')}, ${kept} FROM (${givePositions()}) d RETURNING "account_id", "position"`
}

const rememberLast = (isAsked: IsAsked): string => {
  const newest = `SELECT "account_id", max("position") AS "last" FROM moved GROUP BY "account_id"`
  return `UPDATE ${heads} h SET "last" = n."last" FROM (${newest}) n WHERE ${isAsked('h."account_id"')} AND h."account_id" = n."account_id"`
}
