import type { Caller } from '../call/caller.ts'
import type { Audience } from '../events/show-event.ts'
import { type Bind, statement } from '../plan/bound-statement.ts'
import { lockHead } from '../plan/event-reads.ts'
import { allRows, firstRow } from '../store/run-statement.ts'
import { numberOrNull, type Store, type Transaction, textOrNull } from '../store/store.ts'
import { storedCaller } from './owner.ts'
import { timeOf, timeText } from './stored-times.ts'

/** An endpoint as its calls need it. */
export interface Endpoint {
  readonly account: string
  readonly id: string
  readonly url: string
  readonly types: ReadonlySet<string>
  /** The name of the version that its events are told in. */
  readonly version: string
  /** The position in the account's events up to which it has deliveries. */
  readonly position: number
  /** Its owner, who decides what it is told. */
  readonly audience: Audience
  /** The consumer whose credentials it rests on. */
  readonly restsOn: string
  /** The version of the row when it was read: every change that decides what the endpoint is told makes another one. */
  readonly rowVersion: number
}

export interface EndpointKey {
  readonly account: string
  readonly id: string
}

export const keyOf = ({ account, id }: EndpointKey): string => `${account}\n${id}`

export interface EndpointCounts {
  readonly ofAccount: number
  readonly ofSubject: number
}

/** How many endpoints the account has, and how many of them a subject. What is known of its events is locked first, so that two creates at once do not both count one too few. */
export async function countEndpoints(
  tx: Transaction,
  account: string,
  subject: string | null,
): Promise<EndpointCounts> {
  const { dialect } = tx
  // On SQLite there is one transaction at a time.
  if (!dialect.commitsInOrder) await firstRow(tx, lockHead(dialect, account))
  const row = await firstRow(
    tx,
    statement(
      dialect,
      (bind) =>
        `SELECT count(*), count(CASE WHEN "owner_subject" = ${bind('string', subject)} THEN 1 END) FROM "webhook_endpoints" WHERE "account_id" = ${bind('id', account)}`,
    ),
  )
  return { ofAccount: Number(row?.[0]), ofSubject: Number(row?.[1]) }
}

/** Since when there have been nothing but failures; null after a success. A healthy endpoint is not written to. */
export async function noteHealth(
  tx: Transaction,
  { account, id }: EndpointKey,
  worked: boolean,
  now: number,
): Promise<number | null> {
  const row = await firstRow(
    tx,
    statement(tx.dialect, (bind) => {
      const since = worked ? 'NULL' : `coalesce("failing_since", ${bind('integer', now)})`
      const unlessHealthy = worked ? ' AND "failing_since" IS NOT NULL' : ''
      return `UPDATE "webhook_endpoints" SET "failing_since" = ${since} WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)}${unlessHealthy} RETURNING "failing_since"`
    }),
  )
  return numberOrNull(row?.[0])
}

/** Nothing is sent to an endpoint that is not active: what was still to be sent has failed. */
export async function failPending(tx: Transaction, { account, id }: EndpointKey, now: number): Promise<void> {
  await allRows(
    tx,
    statement(
      tx.dialect,
      (bind) =>
        `UPDATE "webhook_deliveries" SET "status" = 'failed', "next_attempt_at" = NULL, "last_error" = 'endpoint-inactive', "updated_at" = ${bind('datetime', timeText(now))}, "version" = "version" + 1 WHERE "account_id" = ${bind('id', account)} AND "endpoint_id" = ${bind('id', id)} AND "next_attempt_at" IS NOT NULL RETURNING 1`,
    ),
  )
}

/** The reason of an endpoint that rests on nothing any more (end-endpoints.ts). */
export const keyEnded = 'key-ended'

/** Why the service itself ends the calls of an endpoint otherwise. */
export type DisabledReason = 'gone' | 'failing' | 'version-retired'

/** The service itself ends the calls of an endpoint. */
export async function deactivate(
  tx: Transaction,
  key: EndpointKey,
  reason: DisabledReason,
  now: number,
): Promise<void> {
  const done = await firstRow(
    tx,
    statement(
      tx.dialect,
      (bind) =>
        `UPDATE "webhook_endpoints" SET "active" = ${bind('boolean', 0)}, "disabled_reason" = ${bind('string', reason)}, "updated_at" = ${bind('datetime', timeText(now))}, "version" = "version" + 1 WHERE "account_id" = ${bind('id', key.account)} AND "id" = ${bind('id', key.id)} AND "active" = ${bind('boolean', 1)} RETURNING 1`,
    ),
  )
  if (done) await failPending(tx, key, now)
}

/** The owner of an endpoint, with its rights; null where there is no such endpoint. */
export async function ownerOf(store: Store, account: string, id: string): Promise<Caller | null> {
  const row = await firstRow(
    store,
    statement(
      store.dialect,
      (bind) =>
        `SELECT "told_to" FROM "webhook_endpoints" WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)}`,
    ),
    account,
  )
  const text = textOrNull(row?.[0])
  return text === null ? null : storedCaller(account, text)
}

/** A new secret signs from now on; the one before it signs along for a while, and older ones no more. */
export async function expireOthers(
  tx: Transaction,
  { account, id: endpoint }: EndpointKey,
  secretId: string,
  until: number,
): Promise<void> {
  const { dialect } = tx
  const others = (bind: Bind): string =>
    `"account_id" = ${bind('id', account)} AND "endpoint_id" = ${bind('id', endpoint)} AND "id" <> ${bind('id', secretId)}`
  await allRows(
    tx,
    statement(
      dialect,
      (bind) =>
        `DELETE FROM "webhook_secrets" WHERE ${others(bind)} AND "expires_at" IS NOT NULL RETURNING 1`,
    ),
  )
  await allRows(
    tx,
    statement(
      dialect,
      (bind) =>
        `UPDATE "webhook_secrets" SET "expires_at" = ${bind('datetime', timeText(until))}, "version" = "version" + 1 WHERE ${others(bind)} RETURNING 1`,
    ),
  )
}

export interface SealedSecret {
  readonly sealed: string
  /** Null for the newest one. */
  readonly expiresAt: number | null
}

/** The two newest secrets, the newest first. */
export async function sealedSecrets(
  store: Store,
  { account, id }: EndpointKey,
): Promise<readonly SealedSecret[]> {
  const { dialect } = store
  const rows = await allRows(
    store,
    statement(
      store.dialect,
      (bind) =>
        `SELECT "sealed", ${dialect.json('"expires_at"', 'datetime', true)} FROM "webhook_secrets" WHERE "account_id" = ${bind('id', account)} AND "endpoint_id" = ${bind('id', id)} AND "sealed" IS NOT NULL ORDER BY "id" DESC LIMIT 2`,
    ),
    account,
  )
  return rows.map(([sealed, expires]) => ({ sealed: String(sealed), expiresAt: timeOf(expires) }))
}

/** Active endpoints of a version, for its retirement. */
export interface ActiveEndpoint extends EndpointKey {
  readonly url: string
  readonly createdAt: number
}

export async function activeEndpoints(store: Store, version: string): Promise<readonly ActiveEndpoint[]> {
  const { dialect } = store
  const rows = await allRows(
    store,
    statement(
      dialect,
      (bind) =>
        `SELECT "account_id", "id", "url", ${dialect.json('"created_at"', 'datetime', false)} FROM "webhook_endpoints" WHERE "active" = ${bind('boolean', 1)} AND "api_version" = ${bind('string', version)} ORDER BY "account_id", "id"`,
    ),
  )
  return rows.map(([account, id, url, createdAt]) => ({
    account: String(account),
    id: String(id),
    url: String(url),
    createdAt: timeOf(createdAt) ?? 0,
  }))
}
