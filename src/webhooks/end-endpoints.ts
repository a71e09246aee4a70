import { keyLives } from '../guard/key-lives.ts'
import { statement } from '../plan/bound-statement.ts'
import { allRows } from '../store/run-statement.ts'
import type { Store, Transaction } from '../store/store.ts'
import { failPending, keyEnded } from './endpoint-rows.ts'
import { storedCaller } from './owner.ts'
import { timeText } from './stored-times.ts'

/** Which endpoints end: those that rest on API keys (their ids), all of a subject, or some by their ids. */
export type Ended =
  | { readonly keys: readonly string[] }
  | { readonly subject: string }
  | { readonly endpoints: readonly string[] }

/**
 * Ends the endpoints of an account that rest on what has ended, and gives the number of those that were active. One that was not active
 * is marked as well: whoever activates it again must have rights of their own.
 */
export async function endEndpoints(
  tx: Transaction,
  account: string,
  ended: Ended,
  now: number,
): Promise<number> {
  const { dialect } = tx
  const found = await allRows(
    tx,
    statement(dialect, (bind) => {
      const among = (ids: readonly string[]): string =>
        `IN (${dialect.listed(bind('json', JSON.stringify(ids)))})`
      const whose =
        'subject' in ended
          ? `"owner_subject" = ${bind('string', ended.subject)}`
          : 'keys' in ended
            ? `"owner_consumer" ${among(ended.keys)}`
            : `"id" ${among(ended.endpoints)}`
      return `SELECT "id", CASE WHEN "active" = ${bind('boolean', 1)} THEN 1 ELSE 0 END FROM "webhook_endpoints" WHERE "account_id" = ${bind('id', account)} AND ${whose} AND ("disabled_reason" IS NULL OR "disabled_reason" <> ${bind('string', keyEnded)}) ORDER BY "id"${dialect.forOwnUpdate}`
    }),
  )
  for (const [id] of found) {
    const key = { account, id: String(id) }
    await allRows(
      tx,
      statement(
        dialect,
        (bind) =>
          `UPDATE "webhook_endpoints" SET "active" = ${bind('boolean', 0)}, "disabled_reason" = ${bind('string', keyEnded)}, "updated_at" = ${bind('datetime', timeText(now))}, "version" = "version" + 1 WHERE "account_id" = ${bind('id', key.account)} AND "id" = ${bind('id', key.id)} RETURNING 1`,
      ),
    )
    await failPending(tx, key, now)
  }
  return found.filter(([, active]) => Number(active) === 1).length
}

/**
 * Ends the endpoints whose keys have ended, whoever ended them: a key that expired, an
 * endpoint that was written by a process that had not noticed yet. Of a key that was rotated, the new secret has the id.
 */
export async function endThoseOfEndedKeys(store: Store, now: number): Promise<void> {
  const { dialect } = store
  const found = await allRows(
    store,
    // A cluster reads the keys that have ended first, because they are not where the endpoints are.
    statement(
      dialect,
      (bind) =>
        `WITH ended AS (SELECT "account_id", "id" FROM "nounkit_api_keys" WHERE "revoked_at" IS NOT NULL OR "expires_at" <= ${bind('integer', now)}) SELECT e."account_id", e."owner_consumer" FROM "webhook_endpoints" e WHERE ("disabled_reason" IS NULL OR "disabled_reason" <> ${bind('string', keyEnded)}) AND EXISTS (SELECT 1 FROM ended k WHERE k."account_id" = e."account_id" AND k."id" = e."owner_consumer")`,
    ),
  )
  for (const [account, all] of Map.groupBy(found, ([account]) => String(account))) {
    const keys = [...new Set(all.map(([, consumer]) => String(consumer)))]
    await store.transaction((tx) => endEndpoints(tx, account, { keys }, now), account)
  }
}

/** Ends the endpoints of all accounts that rest on tokens of an issuer, and gives the number of those that were active. */
export async function endThoseOfIssuer(store: Store, issuer: string, now: number): Promise<number> {
  const { dialect } = store
  const onTokens = await allRows(
    store,
    statement(
      dialect,
      (bind) =>
        `SELECT "account_id", "id", "told_to" FROM "webhook_endpoints" WHERE "owner_consumer" LIKE 'token:%' AND ("disabled_reason" IS NULL OR "disabled_reason" <> ${bind('string', keyEnded)})`,
    ),
  )
  const found = onTokens.filter(
    ([account, , toldTo]) => storedCaller(String(account), String(toldTo)).claims.iss === issuer,
  )
  let count = 0
  for (const [account, all] of Map.groupBy(found, ([account]) => String(account))) {
    const endpoints = all.map(([, id]) => String(id))
    count += await store.transaction((tx) => endEndpoints(tx, account, { endpoints }, now), account)
  }
  return count
}

/** Whether the key that an endpoint was made with is still valid. Tokens always count as valid: they expire, and nobody can end one. */
export const stillRests = (
  store: Store,
  account: string,
  consumer: string,
  now: number,
): Promise<boolean> | boolean => consumer.startsWith('token:') || keyLives(store, account, consumer, now)
