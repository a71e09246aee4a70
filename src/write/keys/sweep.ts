import type { Clock } from '../../clock.ts'
import { ident, type Places } from '../../plan/dialect.ts'
import { keyTable } from '../../plan/keys.ts'
import type { Store } from '../../store/store.ts'

/** How often `sweep` is called. */
export const sweepEveryMs = 60_000

const table = ident(keyTable)

/** Deletes expired keys, in statements so small that no request waits long behind one, until `signal` aborts. */
export function sweep(store: Store, clock: Clock, signal: AbortSignal): Promise<void> {
  const { oldest } = store.dialect
  return oldest.by === 'order'
    ? sweepInOrder(store, clock, signal, oldest.sort('expires_at'))
    : sweepNextPages(store, clock, signal, oldest)
}

const batch = 200

/** Where an index on the expiry gives the oldest keys first. */
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

/** Every page is swept at least once in 360 sweeps, which is six hours; a table of up to 1,024 pages (8 MB) in each sweep. */
const sweepsPerPass = 360
const fewestPages = 1_024
const pagesPerStatement = 64

/**
 * Without an index on the expiry: it would be written with every key, and all writers would contend for its last page. The
 * sweeps go through the table's pages instead, a part each minute, by whichever process asks first.
 */
async function sweepNextPages(
  store: Store,
  clock: Clock,
  signal: AbortSignal,
  places: Places,
): Promise<void> {
  const { dialect } = store
  const within = places.within(dialect.param(1, 'integer'), dialect.param(2, 'integer'))
  const forget = `DELETE FROM ${table} WHERE ${within} AND "expires_at" <= ${dialect.param(3, 'integer')}`
  const [pages] = (await store.first(places.pages(table), [])) ?? []
  const next = await claimPages(store, clock.now(), Number(pages))
  for (let from = next.from; from < next.to && !signal.aborted; from += pagesPerStatement)
    await store.writeOne(forget, [from, Math.min(from + pagesPerStatement, next.to), clock.now()])
}

/** The row of `nounkit_meta` that says up to which page the table was swept, and when. */
const progressKey = 'sweeper'

/**
 * The pages to sweep now; none when another process took its part less than a minute ago. Pages that a killed process had
 * claimed are swept in the next pass over the table.
 */
async function claimPages(store: Store, now: number, pages: number): Promise<{ from: number; to: number }> {
  const { dialect } = store
  const [key, value, seen] = [1, 2, 3].map((n) => dialect.param(n, 'string'))
  const find = `SELECT "value" FROM "nounkit_meta" WHERE "key" = ${key}`
  const begin = `INSERT INTO "nounkit_meta" ("key", "value") VALUES (${key}, ${value}) ON CONFLICT DO NOTHING`
  const goOn = `UPDATE "nounkit_meta" SET "value" = ${value} WHERE "key" = ${key} AND "value" = ${seen}`
  const [last] = (await store.first(find, [progressKey])) ?? []
  const [next = 0, at = 0] = last ? String(last).split(' ').map(Number) : []
  const none = { from: 0, to: 0 }
  if (at <= now && now - at < sweepEveryMs * 0.9) return none
  const from = next < pages ? next : 0
  const to = Math.min(pages, from + Math.max(fewestPages, Math.ceil(pages / sweepsPerPass)))
  const written = last
    ? await store.writeOne(goOn, [progressKey, `${to} ${now}`, last])
    : await store.writeOne(begin, [progressKey, `${to} ${now}`])
  return written === 1 ? { from, to } : none
}
