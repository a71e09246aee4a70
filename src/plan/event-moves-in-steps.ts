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
 * same one, and it commits them by itself. Each binds the account first.
 */

/** Locks the head of the account, and with it the inbox: `[last]`. */
export const lockOneHead = (dialect: Dialect): string =>
  `SELECT "last" FROM ${heads} WHERE "account_id" = ${dialect.param(1, 'id')} FOR UPDATE`

/** Makes the row that `lockOneHead` locks, where it is missing. */
export const insertOneHead = (dialect: Dialect): string =>
  `INSERT INTO ${heads} ("account_id", "last", "swept") VALUES (${dialect.param(1, 'id')}, 0, 0) ON CONFLICT ("account_id") DO NOTHING`

/**
 * Every node numbers the events that are written through it, so that events are ordered by their times first, which are as exact as the clocks of
 * the processes.
 */
const order = 'ARRAY["created_at", "number"]'

/** The oldest events in the inbox: `[number]` each, as text, since numbers may be past 2^53. */
export const oldestWaiting = (dialect: Dialect): string =>
  `SELECT ${dialect.asText('"number"')} FROM ${inbox} WHERE "account_id" = ${dialect.param(1, 'id')} ORDER BY ${order} LIMIT ${mostMoved}`

const isListed = (dialect: Dialect): string =>
  `"account_id" = ${dialect.param(1, 'id')} AND "number" = ANY(${dialect.param(2, 'string')}::bigint[])`

/** Numbers of events as `writeListed` and `removeListed` bind them. */
export const listedValues = (numbers: readonly string[]): string => `{${numbers.join(',')}}`

/**
 * Writes the listed events of the inbox (bound second) with positions after the last one (bound third). Others may be written into the inbox
 * meanwhile, also older ones, so that events are named by their numbers throughout.
 */
export function writeListed(dialect: Dialect): string {
  const counted = `SELECT row_number() OVER (PARTITION BY "account_id" ORDER BY ${order}) AS n, t.* FROM ${inbox} t WHERE ${isListed(dialect)}`
  const placed = `SELECT n + greatest(${dialect.param(3, 'integer')}, max("created_at" * ${positionsPerMs} - n) OVER (PARTITION BY "account_id" ORDER BY n)) AS p, c.* FROM (${counted}) c`
  return `INSERT INTO ${table} (${placedColumns}) SELECT "account_id", p, ${idSql(dialect, 'p', '"id_end"')}, ${idents(keptColumns)} FROM (${placed}) d`
}

export const removeListed = (dialect: Dialect): string => `DELETE FROM ${inbox} WHERE ${isListed(dialect)}`

/** Remembers the last position that was given. */
export const rememberOneLast = (dialect: Dialect): string =>
  `UPDATE ${heads} SET "last" = (SELECT max("position") FROM ${table} WHERE "account_id" = ${dialect.param(1, 'id')}) WHERE "account_id" = ${dialect.param(1, 'id')}`
