import type { BoundValue } from './bind.ts'
import { type Bind, type Bound, statement } from './bound-statement.ts'
import { type Dialect, ident, idents } from './dialect.ts'
import { mostMoved } from './event-moves.ts'
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

/*
 * What `moveEvents` does with one statement, as several for one account, within one transaction. Citus plans every part of a WITH query
 * that writes by itself, sends what it gives to all nodes, and commits on all of them in two phases. These statements are for one node each, the
 * same one, and it commits them by itself.
 */

/** Locks the head of the account, and with it the inbox: `[last]`. */
export const lockOneHead = (dialect: Dialect, account: string): Bound =>
  statement(
    dialect,
    (bind) => `SELECT "last" FROM ${heads} WHERE "account_id" = ${bind('id', account)} FOR UPDATE`,
  )

/** Makes the row that `lockOneHead` locks, where it is missing. */
export const insertOneHead = (dialect: Dialect, account: string): Bound =>
  statement(
    dialect,
    (bind) =>
      `INSERT INTO ${heads} ("account_id", "last", "swept") VALUES (${bind('id', account)}, 0, 0) ON CONFLICT ("account_id") DO NOTHING`,
  )

/**
 * Every node numbers the events that are written through it, so that events are ordered by their times first, which are as exact as the clocks of
 * the processes.
 */
const order = 'ARRAY["created_at", "number"]'

/** The oldest events in the inbox: `[number]` each, as text, since numbers may be past 2^53. */
export const oldestWaiting = (dialect: Dialect, account: string): Bound =>
  statement(
    dialect,
    (bind) =>
      `SELECT ${dialect.asText('"number"')} FROM ${inbox} WHERE "account_id" = ${bind('id', account)} ORDER BY ${order} LIMIT ${mostMoved}`,
  )

/** Events of an account in the inbox, by their numbers. */
export interface ListedEvents {
  readonly account: string
  readonly numbers: readonly string[]
}

const isListed = ({ account, numbers }: ListedEvents, bind: Bind): string =>
  `"account_id" = ${bind('id', account)} AND "number" = ANY(${bind('string', `{${numbers.join(',')}}`)}::bigint[])`

/**
 * Writes the listed events with positions after the last one. Others may be written into the inbox meanwhile, also older ones, so that events
 * are named by their numbers throughout.
 */
export const writeListed = (dialect: Dialect, listed: ListedEvents, last: BoundValue): Bound =>
  statement(dialect, (bind) => {
    const counted = `SELECT row_number() OVER (PARTITION BY "account_id" ORDER BY ${order}) AS n, t.* FROM ${inbox} t WHERE ${isListed(listed, bind)}`
    const placed = `SELECT n + greatest(${bind('integer', last)}, max("created_at" * ${positionsPerMs} - n) OVER (PARTITION BY "account_id" ORDER BY n)) AS p, c.* FROM (${counted}) c`
    return `INSERT INTO ${table} (${placedColumns}) SELECT "account_id", p, ${idSql(dialect, 'p', '"id_end"')}, ${idents(keptColumns)} FROM (${placed}) d`
  })

export const removeListed = (dialect: Dialect, listed: ListedEvents): Bound =>
  statement(dialect, (bind) => `DELETE FROM ${inbox} WHERE ${isListed(listed, bind)}`)

/** Remembers the last position that was given. */
export const rememberOneLast = (dialect: Dialect, account: string): Bound =>
  statement(dialect, (bind) => {
    const isOwn = `"account_id" = ${bind('id', account)}`
    return `UPDATE ${heads} SET "last" = (SELECT max("position") FROM ${table} WHERE ${isOwn}) WHERE ${isOwn}`
  })
