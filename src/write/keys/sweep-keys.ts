import type { Clock } from '../../clock.ts'
import { statement } from '../../plan/bound-statement.ts'
import { ident, type Order, type Places } from '../../plan/dialect.ts'
import { keyTable } from '../../plan/keys.ts'
import { metaFacts, selectMeta, upsertMeta } from '../../store/meta.ts'
import { firstRow, writeAlone } from '../../store/run-statement.ts'
import type { Store } from '../../store/store.ts'

const table = ident(keyTable)

/**
 * Deletes expired keys, in statements so small that no request waits long behind one, until `signal` aborts. Called once a minute, by one
 * process at a time.
 */
export function sweepKeys(store: Store, clock: Clock, signal: AbortSignal): Promise<void> {
  const { oldest } = store.dialect
  return oldest.by === 'order'
    ? sweepInOrder(store, clock, signal, oldest)
    : sweepNextPages(store, clock, signal, oldest)
}

/** Where an index on the expiry gives the oldest keys first. Each statement deletes all keys that expired up to a moment. */
async function sweepInOrder(store: Store, clock: Clock, signal: AbortSignal, order: Order): Promise<void> {
  const { dialect } = store
  while (!signal.aborted) {
    const find = statement(
      dialect,
      (bind) =>
        `SELECT max("expires_at"), count(*) FROM (SELECT "expires_at" FROM ${table} WHERE "expires_at" <= ${bind('integer', clock.now())} ${order.sort('expires_at')} LIMIT ${order.most}) o`,
    )
    const [last = null, count] = (await firstRow(store, find)) ?? []
    if (last === null) return
    const forget = statement(
      dialect,
      (bind) => `DELETE FROM ${table} WHERE "expires_at" <= ${bind('integer', last)}`,
    )
    await writeAlone(store, forget)
    if (Number(count) < order.most) return
  }
}

/** Every page is swept at least once in 360 sweeps, which is six hours; a table of up to 1,024 pages (8 MB) in each sweep. */
const sweepsPerPass = 360
const fewestPages = 1_024
const pagesPerStatement = 64

/**
 * Without an index on the expiry: it would be written with every key, and all writers would contend for its last page. The
 * sweeps go through the table's pages instead, a part each minute, by whichever process has its turn.
 */
async function sweepNextPages(
  store: Store,
  clock: Clock,
  signal: AbortSignal,
  places: Places,
): Promise<void> {
  const [count] = (await store.first(places.pages(table), [])) ?? []
  const pages = Number(count)
  const next = await sweptUpTo(store)
  let from = next < pages ? next : 0
  const end = Math.min(pages, from + Math.max(fewestPages, Math.ceil(pages / sweepsPerPass)))
  while (from < end && !signal.aborted) {
    const to = Math.min(from + pagesPerStatement, end)
    const forget = statement(store.dialect, (bind) => {
      const within = places.within(bind('integer', from), bind('integer', to))
      return `DELETE FROM ${table} WHERE ${within} AND "expires_at" <= ${bind('integer', clock.now())}`
    })
    await writeAlone(store, forget)
    from = to
  }
  await rememberSwept(store, from)
}

async function sweptUpTo(store: Store): Promise<number> {
  const [page] = (await store.first(selectMeta(metaFacts.sweeper.key), [])) ?? []
  return Number(page ?? 0)
}

const rememberSwept = (store: Store, page: number): Promise<unknown> =>
  store.writeOne(upsertMeta(metaFacts.sweeper.key, String(page)), [])
