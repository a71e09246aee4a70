import type { Clock } from '../../clock.ts'
import { ident, type Places } from '../../plan/dialect.ts'
import { keyLog } from '../../plan/key-log.ts'
import { keyTable } from '../../plan/keys.ts'
import type { Store } from '../../store/store.ts'
import { prompt, removeKeys } from './logged.ts'
import type { Recent } from './recent.ts'
import { storedNumber } from './stored-number.ts'

/** How often it is called. */
export const sweepEveryMs = 60_000

const table = ident(keyTable)

/** Deletes expired keys, in statements so small that no request waits long behind one, until `signal` says that it is enough. */
export function sweep(store: Store, clock: Clock, signal: AbortSignal): Promise<void> {
  const { oldest } = store.dialect
  if (!oldest) return sweepLog(store, clock, signal)
  return oldest.by === 'order'
    ? sweepInOrder(store, clock, signal, oldest.sort('expires_at'))
    : sweepNextPlaces(store, clock, signal, oldest)
}

const batch = 200

/** The oldest expire first, unless the time that keys are kept was shortened meanwhile: then some of the new ones wait behind the old. */
async function sweepLog(store: Store, clock: Clock, signal: AbortSignal): Promise<void> {
  const sql = keyLog(store.dialect)
  while (!signal.aborted) {
    const now = clock.now()
    const oldest = await store.all(sql.oldest, [batch])
    const expired = oldest.filter(([, , , expiresAt]) => Number(expiresAt) <= now)
    if (expired.length === 0) return
    await store.transaction((tx) => {
      const keys = expired.map(
        ([place, account, key]): Recent => [storedNumber(String(account), String(key)), Number(place)],
      )
      removeKeys(prompt(tx), sql, keys)
    })
    if (expired.length < batch) return
  }
}

/** The same by an index. */
async function sweepInOrder(store: Store, clock: Clock, signal: AbortSignal, sort: string): Promise<void> {
  const { dialect } = store
  const find = `SELECT "account_id", "key", "expires_at" FROM ${table} ${sort} LIMIT ${batch}`
  const forget = `DELETE FROM ${table} WHERE "account_id" = ${dialect.param(1, 'id')} AND "key" = ${dialect.param(2, 'string')} AND "expires_at" <= ${dialect.param(3, 'integer')} RETURNING 1`
  while (!signal.aborted) {
    const now = clock.now()
    const oldest = await store.all(find, [])
    const expired = oldest.filter(([, , expiresAt]) => Number(expiresAt) <= now)
    await store.transaction(async (tx) => {
      for (const [account = '', key = ''] of expired) await tx.first(forget, [account, key, now])
    })
    if (expired.length < batch) return
  }
}

/** A key is gone six hours after it expired, at the latest; a table of up to 8 MB is gone through each time. */
const sweepsPerPass = 360
const fewestPages = 1_024
const pagesPerStatement = 64

/**
 * Without an index, which would be written with every key, to the same page as everybody else's: all pages are looked at in
 * turn, by whichever process comes first after a minute.
 */
async function sweepNextPlaces(
  store: Store,
  clock: Clock,
  signal: AbortSignal,
  places: Places,
): Promise<void> {
  const { dialect } = store
  const within = places.within(dialect.param(1, 'integer'), dialect.param(2, 'integer'))
  const forget = `DELETE FROM ${table} WHERE ${within} AND "expires_at" <= ${dialect.param(3, 'integer')}`
  const [pages] = (await store.first(places.pages(table), [])) ?? []
  const turn = await takeTurn(store, clock.now(), Number(pages))
  for (let from = turn.from; from < turn.to && !signal.aborted; from += pagesPerStatement)
    await store.writeOne(forget, [from, Math.min(from + pagesPerStatement, turn.to), clock.now()])
}

const place = 'sweeper'

/** The next pages, none when another process was there less than a minute ago. What a killed process left out waits for the next pass. */
async function takeTurn(store: Store, now: number, pages: number): Promise<{ from: number; to: number }> {
  const { dialect } = store
  const [key, value, seen] = [1, 2, 3].map((n) => dialect.param(n, 'string'))
  const find = `SELECT "value" FROM "nounkit_meta" WHERE "key" = ${key}`
  const begin = `INSERT INTO "nounkit_meta" ("key", "value") VALUES (${key}, ${value}) ON CONFLICT DO NOTHING`
  const goOn = `UPDATE "nounkit_meta" SET "value" = ${value} WHERE "key" = ${key} AND "value" = ${seen}`
  const [last] = (await store.first(find, [place])) ?? []
  const [next = 0, at = 0] = last ? String(last).split(' ').map(Number) : []
  const none = { from: 0, to: 0 }
  if (at <= now && now - at < sweepEveryMs * 0.9) return none
  const from = next < pages ? next : 0
  const to = Math.min(pages, from + Math.max(fewestPages, Math.ceil(pages / sweepsPerPass)))
  const written = last
    ? await store.writeOne(goOn, [place, `${to} ${now}`, last])
    : await store.writeOne(begin, [place, `${to} ${now}`])
  return written === 1 ? { from, to } : none
}
