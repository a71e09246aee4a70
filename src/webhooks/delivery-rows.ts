import { statement } from '../plan/bound-statement.ts'
import { allRows, firstRow } from '../store/run-statement.ts'
import { statementParts } from '../store/statement-parts.ts'
import type { Store, Transaction, Value } from '../store/store.ts'
import { newId } from '../write/ids.ts'
import type { Endpoint, EndpointKey } from './endpoint-rows.ts'
import { timeOf, timeText } from './stored-times.ts'
import type { WantedEvent } from './wanted-event.ts'

/** A delivery that is to be attempted. */
export interface Delivery {
  readonly id: string
  readonly eventId: string
  /** Calls that were made before. */
  readonly attempts: number
  /** The body, where it is known already. */
  readonly body?: string | null
}

const longestKept = 8_192

/** A long body is made again for its call: deliveries may wait long for an endpoint that hangs, and many of them would fill the memory. */
const isShort = ({ body }: WantedEvent): boolean => body !== null && body.length <= longestKept

/**
 * Makes the deliveries of some events and moves the endpoint's position past them, in one transaction: whoever is killed at any
 * moment leaves either both or none. Null where another process has moved the position meanwhile, or the endpoint was changed: the events
 * may have happened after the change, and were judged by what the endpoint was before.
 */
export function makeDeliveries(
  store: Store,
  { account, id, position, rowVersion }: Pick<Endpoint, 'account' | 'id' | 'position' | 'rowVersion'>,
  next: number,
  events: readonly WantedEvent[],
  now: number,
): Promise<readonly Delivery[] | null> {
  const made = events.map((event) => ({
    id: newId(now),
    eventId: event.id,
    attempts: 0,
    body: isShort(event) ? event.body : null,
  }))
  return store.transaction(async (tx) => {
    const moved = await firstRow(
      tx,
      statement(
        tx.dialect,
        (bind) =>
          `UPDATE "webhook_endpoints" SET "position" = ${bind('integer', next)} WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)} AND "position" = ${bind('integer', position)} AND "active" = ${bind('boolean', 1)} AND "version" = ${bind('integer', rowVersion)} RETURNING 1`,
      ),
    )
    if (!moved) return null
    const rows = made.map((one, at) => [one.id, one.eventId, events[at]?.type ?? ''] as const)
    for (const part of statementParts(rows)) await insertDeliveries(tx, { account, id }, part, now)
    return made
  }, account)
}

async function insertDeliveries(
  tx: Transaction,
  { account, id }: EndpointKey,
  rows: readonly (readonly [id: string, eventId: string, type: string])[],
  now: number,
): Promise<void> {
  await allRows(
    tx,
    statement(tx.dialect, (bind) => {
      const time = bind('datetime', timeText(now))
      const [owner, endpoint] = [bind('id', account), bind('id', id)]
      const values = rows.map(
        ([delivery, event, type]) =>
          `(${owner}, ${endpoint}, ${bind('id', delivery)}, ${bind('string', event)}, ${bind('string', type)}, 'pending', 0, ${time}, ${time}, ${time}, 1)`,
      )
      return `INSERT INTO "webhook_deliveries" ("account_id", "endpoint_id", "id", "event_id", "type", "status", "attempts", "next_attempt_at", "created_at", "updated_at", "version") VALUES ${values.join(', ')}`
    }),
  )
}

/** The deliveries of an endpoint that are due, those that have waited longest first. */
export async function dueDeliveries(
  store: Store,
  { account, id }: EndpointKey,
  now: number,
  limit: number,
): Promise<readonly Delivery[]> {
  const rows = await allRows(
    store,
    statement(
      store.dialect,
      (bind) =>
        `SELECT "id", "event_id", "attempts" FROM "webhook_deliveries" WHERE "account_id" = ${bind('id', account)} AND "endpoint_id" = ${bind('id', id)} AND "next_attempt_at" <= ${bind('datetime', timeText(now))} ORDER BY "next_attempt_at" LIMIT ${limit}`,
    ),
    account,
  )
  return rows.map(([delivery, eventId, attempts]) => ({
    id: String(delivery),
    eventId: String(eventId),
    attempts: Number(attempts),
  }))
}

/** When the oldest pending delivery was made, of all accounts. */
export async function oldestPending(store: Store): Promise<number | null> {
  const { dialect } = store
  const oldest = dialect.json('min("created_at")', 'datetime', true)
  const row = await firstRow(
    store,
    statement(
      dialect,
      () => `SELECT ${oldest} FROM "webhook_deliveries" WHERE "next_attempt_at" IS NOT NULL`,
    ),
  )
  return timeOf(row?.[0])
}

/** What became of an attempt, and when the next one is due: null when there is none. */
export interface Attempted {
  readonly id: string
  readonly delivered: boolean
  readonly status: number | null
  readonly error: string | null
  readonly nextAt: number | null
}

const successSizes = 200

/** Writes what became of attempts at one endpoint. Deliveries that have ended meanwhile, by another process or with the endpoint, stay as they are. */
export async function writeAttempts(
  tx: Transaction,
  key: EndpointKey,
  attempts: readonly Attempted[],
  now: number,
): Promise<void> {
  const delivered = Map.groupBy(
    attempts.filter((one) => one.delivered),
    ({ status }) => status,
  )
  for (const [status, all] of delivered)
    for (let from = 0; from < all.length; from += successSizes)
      await writeDelivered(tx, key, all.slice(from, from + successSizes), status, now)
  for (const one of attempts) if (!one.delivered) await writeFailure(tx, key, one, now)
}

async function writeDelivered(
  tx: Transaction,
  { account }: EndpointKey,
  delivered: readonly Attempted[],
  status: Value,
  now: number,
): Promise<void> {
  const ids = JSON.stringify(delivered.map(({ id }) => id))
  await allRows(
    tx,
    statement(
      tx.dialect,
      (bind) =>
        `UPDATE "webhook_deliveries" SET "status" = 'delivered', "attempts" = "attempts" + 1, "next_attempt_at" = NULL, "last_status_code" = ${bind('integer', status)}, "last_error" = NULL, "updated_at" = ${bind('datetime', timeText(now))}, "version" = "version" + 1 WHERE "account_id" = ${bind('id', account)} AND "id" IN (${tx.dialect.listed(bind('json', ids))}) AND "next_attempt_at" IS NOT NULL RETURNING 1`,
    ),
  )
}

async function writeFailure(
  tx: Transaction,
  { account }: EndpointKey,
  { id, status, error, nextAt }: Attempted,
  now: number,
): Promise<void> {
  await firstRow(
    tx,
    statement(
      tx.dialect,
      (bind) =>
        `UPDATE "webhook_deliveries" SET "status" = ${bind('string', nextAt === null ? 'failed' : 'pending')}, "attempts" = "attempts" + 1, "next_attempt_at" = ${bind('datetime', nextAt === null ? null : timeText(nextAt))}, "last_status_code" = ${bind('integer', status)}, "last_error" = ${bind('string', error)}, "updated_at" = ${bind('datetime', timeText(now))}, "version" = "version" + 1 WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)} AND "next_attempt_at" IS NOT NULL RETURNING 1`,
    ),
  )
}
