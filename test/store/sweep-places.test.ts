import { beforeEach, describe, expect, test } from 'vitest'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import type { Store } from '../../src/store/store.ts'
import { sweepKeys } from '../../src/write/keys/sweep-keys.ts'
import { storeUnderTest } from '../support/stores.ts'
import { booksModel } from './books.ts'

const minute = 60_000
const { signal } = new AbortController()

/** Keys so long that four fill a page, `odd` ones expired at 1, the others at 1,000 hours. */
const fill = (count: number): string =>
  `INSERT INTO "nounkit_idempotency" ("account_id", "key", "fingerprint", "fingerprint_version", "status", "body", "completed_at", "expires_at")
   SELECT 'a', n::text, '', 1, 201, repeat('x', 1800), 0, CASE WHEN n % 2 = 1 THEN 1 ELSE 3600000000 END FROM generate_series(1, ${count}) AS n`

describe('the sweeper on PostgreSQL', () => {
  let store: Store
  let now = 0
  const clock = { now: () => now }
  const count = async (condition: string) =>
    Number((await store.first(`SELECT count(*) FROM "nounkit_idempotency" WHERE ${condition}`, []))?.[0])
  const expired = () => count('"expires_at" = 1')

  beforeEach(async () => {
    store = await storeUnderTest('postgres').open()
    await migrateStore(store, booksModel())
    now = 100 * minute
  })

  test('sweeps the next pages each time, whichever process sweeps, and begins again at the end', async () => {
    // A little over 1,024 pages, which one sweep covers.
    await store.writeOne(fill(5_000), [])
    await sweepKeys(store, clock, signal)
    const left = await expired()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(1_000)
    now += minute
    await sweepKeys(store, clock, signal)
    expect(await expired()).toBe(0)
    // In the space of the deleted rows, so among the first pages again.
    await store.session((session) => session.script('VACUUM "nounkit_idempotency"'))
    await store.writeOne(fill(5_000).replace('n::text', `'again ' || n`), [])
    now += minute
    await sweepKeys(store, clock, signal)
    expect(await expired()).toBeLessThan(2_500)
    for (let turn = 0; turn < 2; turn++) {
      now += minute
      await sweepKeys(store, clock, signal)
    }
    expect(await expired()).toBe(0)
    expect(await count('true')).toBe(5_000)
  })

  test('stops when its signal aborts', async () => {
    await store.writeOne(fill(10), [])
    await sweepKeys(store, clock, AbortSignal.abort())
    expect(await expired()).toBe(5)
  })

  test('reads no more than those pages', async () => {
    const { oldest } = store.dialect
    if (oldest?.by !== 'place') throw new Error('PostgreSQL keeps rows in no order')
    const forget = `DELETE FROM "nounkit_idempotency" WHERE ${oldest.within('$1', '$2')}`
    const plan = await store.session(async (session) => {
      await session.script(
        `SET plan_cache_mode = force_generic_plan; PREPARE forget (bigint, bigint) AS ${forget}`,
      )
      return session.all('EXPLAIN EXECUTE forget (0, 64)')
    })
    expect(plan.join('\n')).toContain('Tid Range Scan')
  })
})
