import type { Clock } from '../../clock.ts'
import { ident, type Places } from '../../plan/dialect.ts'
import { keyLog } from '../../plan/key-log.ts'
import { keyTable } from '../../plan/keys.ts'
import type { Row, Store, Value } from '../../store/store.ts'
import { prompt, removeKeys } from './logged.ts'

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

/** How far behind the first that are kept it is looked each time. */
const batchesBehind = 50

/** Up to which place it has been looked. */
const lookedAt = new WeakMap<Store, number>()

/**
 * The oldest expire first, and are looked at each time. Those that are kept for longer than later ones, because the time was
 * shortened or a clock was wrong, must not keep those: so it goes on behind them, each time where it left off, and begins anew.
 */
async function sweepLog(store: Store, clock: Clock, signal: AbortSignal): Promise<void> {
  const first = await sweepOn(store, clock, signal, 0, 1)
  const from = first && Math.max(first, lookedAt.get(store) ?? 0)
  lookedAt.set(store, from && (await sweepOn(store, clock, signal, from, batchesBehind)))
  await sweepRuns(store, signal)
}

/** Those that have no row left. */
async function sweepRuns(store: Store, signal: AbortSignal): Promise<void> {
  const sql = keyLog(store.dialect)
  for (let before: Value = 0; !signal.aborted; ) {
    const [last]: Row = (await store.first(sql.nextRun, [before])) ?? []
    if (last === undefined) return
    const isEmpty = !(await store.first(sql.anyIn, [before, last]))
    if (isEmpty) await store.writeOne(sql.removeRun, [before, last])
    before = last
  }
}

/** Until so many batches had nothing to sweep. Returns the last place that was looked at; 0 at the end of the log. */
async function sweepOn(
  store: Store,
  clock: Clock,
  signal: AbortSignal,
  after: number,
  idleBatches: number,
): Promise<number> {
  const sql = keyLog(store.dialect)
  let at = after
  for (let idle = 0; idle < idleBatches && !signal.aborted; ) {
    const now = clock.now()
    const rows = await store.all(sql.following, [at, batch])
    const expired = rows.filter(([, , , expiresAt]) => Number(expiresAt) <= now)
    if (expired.length === 0) idle++
    else
      await store.transaction((tx) =>
        removeKeys(
          prompt(tx),
          sql,
          expired.map(([place]) => Number(place)),
        ),
      )
    if (rows.length < batch) return 0
    at = Number(rows.at(-1)?.[0])
  }
  return at
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
