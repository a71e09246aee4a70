import type { Audience } from '../events/show-event.ts'
import type { Caller } from '../request/caller.ts'
import type { Store, Transaction } from '../store/store.ts'
import { allRows, firstRow, statement, timeOf, timeText } from './rows.ts'
import { callerText } from './told-to.ts'

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
  /** Decides what it is told. */
  readonly audience: Audience
  /** What it was when it was read. Events are told to it as it is when they happen. */
  readonly state: EndpointState
}

/** Differs after every change that decides what an endpoint is told. */
export interface EndpointState {
  readonly rowVersion: number
  readonly toldTo: string
}

export interface EndpointKey {
  readonly account: string
  readonly id: string
}

export const keyOf = ({ account, id }: EndpointKey): string => `${account}\n${id}`

/** How many endpoints the account has. Those that exist are locked first, so that two creates at once do not both count one too few. */
export async function countEndpoints(tx: Transaction, account: string): Promise<number> {
  const { dialect } = tx
  await allRows(
    tx,
    statement(
      dialect,
      (bind) =>
        `SELECT "id" FROM "webhook_endpoints" WHERE "account_id" = ${bind('id', account)} ORDER BY "id"${dialect.forOwnUpdate}`,
    ),
  )
  const row = await firstRow(
    tx,
    statement(
      dialect,
      (bind) => `SELECT count(*) FROM "webhook_endpoints" WHERE "account_id" = ${bind('id', account)}`,
    ),
  )
  return Number(row?.[0])
}

/** Stores whose rights decide what an endpoint is told. */
export async function tellAs(tx: Transaction, id: string, caller: Caller): Promise<void> {
  await firstRow(
    tx,
    statement(
      tx.dialect,
      (bind) =>
        `UPDATE "webhook_endpoints" SET "told_to" = ${bind('string', callerText(caller))} WHERE "account_id" = ${bind('id', caller.account)} AND "id" = ${bind('id', id)} RETURNING 1`,
    ),
  )
}

/** Lets an endpoint start, or start again, at a position of the account's events. */
export async function startAt(
  tx: Transaction,
  { account, id }: EndpointKey,
  position: number,
): Promise<void> {
  await firstRow(
    tx,
    statement(
      tx.dialect,
      (bind) =>
        `UPDATE "webhook_endpoints" SET "position" = ${bind('integer', position)}, "failing_since" = NULL WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', id)} RETURNING 1`,
    ),
  )
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

/** A new secret signs from now on; the one before it signs along for a while, and older ones no more. */
export async function storeSecret(
  tx: Transaction,
  { account, id: endpoint }: EndpointKey,
  secretId: string,
  sealed: string,
  until: number,
): Promise<void> {
  const { dialect } = tx
  await firstRow(
    tx,
    statement(
      dialect,
      (bind) =>
        `UPDATE "webhook_secrets" SET "sealed" = ${bind('string', sealed)} WHERE "account_id" = ${bind('id', account)} AND "id" = ${bind('id', secretId)} RETURNING 1`,
    ),
  )
  const others = (bind: Parameters<Parameters<typeof statement>[1]>[0]): string =>
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
