import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../../src/call/caller.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { awaitRecorders } from '../../src/lifecycle/await-recorders.ts'
import { openRecorder, type Recorder } from '../../src/lifecycle/recorder.ts'
import { lostAfterMs, markSilent, readGaps, readUnended } from '../../src/lifecycle/recorder-rows.ts'
import { readSignals } from '../../src/lifecycle/sent-signals.ts'
import { sweepUsage } from '../../src/lifecycle/sweep-usage.ts'
import { readDetails, readOperations } from '../../src/lifecycle/usage-rows.ts'
import { nothingUsed, type Uses } from '../../src/lifecycle/use.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { createRouter } from '../../src/serve/route.ts'
import { type Store, StoreError } from '../../src/store/store.ts'
import { callerOf } from '../support/key-caller.ts'
import { library } from '../support/library.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores, describeWalked, type StoreUnderTest, storeUnderTest } from '../support/stores.ts'
import { whileBeating } from './while-beating.ts'

const model = compileApi(library, {})
const router = createRouter(model)
const everything = { since: 0, account: null }

function call(
  recorder: Recorder,
  path: string,
  who: Caller | null,
  uses: Partial<Uses> = {},
  status = 200,
): void {
  const shown = Object.keys(uses).length === 0 ? nothingUsed : { ...nothingUsed, ...uses }
  recorder.count('GET', status, { target: router.find(path), caller: who, uses: shown })
}

async function openMigrated(stores: StoreUnderTest): Promise<Store> {
  const store = await stores.open()
  await migrateStore(store, model)
  return store
}

const total = async (store: Store): Promise<number> =>
  (await readOperations(store, everything)).reduce((sum, { calls }) => sum + calls, 0)

/** A store whose transactions fail: before anything is written, or after it was, with the answer lost. */
function failing(store: Store, when: () => 'before' | 'after' | 'never'): Store {
  const away = () => new StoreError('unavailable', 'cut off by the test')
  return {
    ...store,
    transaction: async (work) => {
      if (when() === 'before') throw away()
      const result = await store.transaction(work)
      if (when() === 'after') throw away()
      return result
    },
  }
}

const slow = (store: Store, ms: number): Store => ({
  ...store,
  transaction: async (work) => {
    await sleep(ms)
    return store.transaction(work)
  },
})

describeStores('counting', (stores) => {
  test('per day, version, operation and consumer: calls and when the last one was', async () => {
    const store = await openMigrated(stores)
    const clock = setClock('2026-01-05T23:59:00Z')
    const recorder = await openRecorder({ store, clock })
    call(recorder, '/v1/authors', callerOf('key_a'))
    call(recorder, '/v1/authors', callerOf('key_a'))
    call(recorder, '/v1/authors/7', callerOf('key_a'))
    call(recorder, '/v2/authors', callerOf('key_b', 'globex'))
    clock.pass(120_000)
    call(recorder, '/v1/authors', callerOf('key_a'))
    await recorder.flush()
    const rows = await store.all(
      'SELECT "account_id", "consumer", "version", "day", "operation", "calls", "last_seen" FROM "nounkit_usage" ORDER BY 1, 2, 3, 4, 5',
      [],
    )
    const [late, early] = [Date.parse('2026-01-06T00:01:00Z'), Date.parse('2026-01-05T23:59:00Z')]
    expect(rows.map((row) => row.map((value, at) => (at > 4 ? Number(value) : value)))).toEqual([
      ['acme', 'key_a', 'v1', '2026-01-05', 'GET /authors', 2, early],
      ['acme', 'key_a', 'v1', '2026-01-05', 'GET /authors/{id}', 1, early],
      ['acme', 'key_a', 'v1', '2026-01-06', 'GET /authors', 1, late],
      ['globex', 'key_b', 'v2', '2026-01-05', 'GET /authors', 1, early],
    ])
  })

  test('what a request shows it uses is noted, unknown names are not', async () => {
    const store = await openMigrated(stores)
    const recorder = await openRecorder({ store, clock: setClock('2026-01-05T00:00:00Z') })
    const uses = {
      include: ['books'],
      filters: ['full_name'],
      sorts: ['full_name'],
      fields: ['full_name', 'nonsense'],
    }
    call(recorder, '/v1/authors', callerOf('key_a'), uses)
    await recorder.flush()
    const details = await readDetails(store, everything)
    expect(details.map(({ resource, kind, name, calls }) => [resource, kind, name, calls])).toEqual([
      ['authors', 'field', 'full_name', 1],
      ['authors', 'filter', 'full_name', 1],
      ['authors', 'include', 'books', 1],
      ['authors', 'sort', 'full_name', 1],
    ])
  })

  test('several processes that flush at once lose no count and make none twice', async () => {
    const store = await openMigrated(stores)
    const clock = setClock('2026-01-05T00:00:00Z')
    const recorders = await Promise.all(Array.from({ length: 4 }, () => openRecorder({ store, clock })))
    for (let round = 0; round < 5; round++) {
      for (const recorder of recorders) {
        for (let i = 0; i < 30; i++)
          call(recorder, '/v1/authors', callerOf(`key_${i}`), { filters: ['full_name'] })
      }
      await Promise.all(recorders.map((recorder) => recorder.flush()))
    }
    const counted = await readOperations(store, everything)
    expect(counted).toHaveLength(30)
    expect(new Set(counted.map(({ calls }) => calls))).toEqual(new Set([20]))
    expect((await readDetails(store, everything)).every(({ calls }) => calls === 20)).toBe(true)
  })

  test('a flush that fails is made up for; of one whose answer was lost no call is missing', async () => {
    const store = await openMigrated(stores)
    let mood: 'before' | 'after' | 'never' = 'never'
    const clock = setClock('2026-01-05T00:00:00Z')
    const recorder = await openRecorder({ store: failing(store, () => mood), clock })
    for (const next of ['before', 'before', 'after', 'after'] as const) {
      mood = next
      call(recorder, '/v1/authors', callerOf('key_a'))
      await expect(recorder.flush()).rejects.toThrow('cut off')
    }
    mood = 'never'
    await recorder.flush()
    const counted = await total(store)
    expect(counted).toBeGreaterThanOrEqual(4)
    await recorder.flush()
    expect(await total(store)).toBe(counted)
  })

  test('the first Deprecation header of each version is dated once, even when other processes send it again', async () => {
    const store = await openMigrated(stores)
    const clock = setClock('2026-01-05T00:00:00Z')
    const first = await openRecorder({ store, clock })
    const [, v2, v1] = model.versions
    if (!v1 || !v2) throw new Error('the library has three versions')
    first.signalled(v1)
    first.signalled(v1)
    await first.flush()
    clock.pass(60_000)
    const second = await openRecorder({ store, clock })
    second.signalled(v1)
    second.signalled(v2)
    await second.flush()
    const start = Date.parse('2026-01-05T00:00:00Z')
    expect(await readSignals(store)).toEqual(
      new Map([
        ['v1', { version: 'v1', firstSentAt: start, sunset: '2025-12-31' }],
        ['v2', { version: 'v2', firstSentAt: start + 60_000, sunset: '2026-03-31' }],
      ]),
    )
  })
})

describeWalked('gaps', (stores) => {
  test('a process that dies between two flushes leaves one, from its last flush on', async () => {
    const store = await openMigrated(stores)
    const clock = setClock('2026-01-05T00:00:00Z')
    const dying = await openRecorder({ store, clock })
    const living = await openRecorder({ store, clock })
    clock.pass(5_000)
    await dying.flush()
    const lastWord = clock.now()
    call(dying, '/v1/authors', callerOf('key_a'))
    clock.pass(lostAfterMs + 1)
    await living.flush()
    await markSilent(store, clock.now())
    expect(await readGaps(store, 0)).toEqual([{ from: lastWord, until: lastWord + lostAfterMs }])
    expect(await readGaps(store, lastWord + lostAfterMs + 1)).toEqual([])
  })

  test('a process that ends in order leaves none, and time in which none runs is none', async () => {
    const store = await openMigrated(stores)
    const clock = setClock('2026-01-05T00:00:00Z')
    const first = await openRecorder({ store, clock })
    call(first, '/v1/authors', callerOf('key_a'))
    await first.end()
    clock.pass(40 * 86_400_000)
    await openRecorder({ store, clock })
    await markSilent(store, clock.now())
    expect(await readGaps(store, 0)).toEqual([])
    expect(await total(store)).toBe(1)
  })

  test('a process that was only slow takes its gap back by writing', async () => {
    const store = await openMigrated(stores)
    const clock = setClock('2026-01-05T00:00:00Z')
    const slow = await openRecorder({ store, clock })
    clock.pass(lostAfterMs * 2)
    await markSilent(store, clock.now())
    expect(await readGaps(store, 0)).toHaveLength(1)
    await slow.flush()
    expect(await readGaps(store, 0)).toEqual([])
  })

  test('settling waits for processes that are alive and finds the dead, whatever their clocks say', async () => {
    const store = await openMigrated(stores)
    const clock = setClock('2026-01-05T00:00:00Z')
    const behind = setClock('2026-01-04T23:58:00Z')
    const living = await openRecorder({ store, clock: behind })
    await openRecorder({ store, clock: setClock('2026-01-05T00:02:00Z') })
    call(living, '/v1/authors', callerOf('key_a'))
    const settle = () => awaitRecorders(store, clock, { patienceMs: 1_500 })
    await whileBeating(behind, () => living.flush(), settle)
    expect(await total(store)).toBe(1)
    expect((await readGaps(store, 0)).map(({ from }) => from)).toEqual([Date.parse('2026-01-05T00:02:00Z')])
  })

  test('settling waits for all parts of a flush, and for calls that came after its beginning', async () => {
    const store = await openMigrated(stores)
    const clock = setClock('2026-01-05T00:00:00Z')
    const living = await openRecorder({ store: slow(store, 400), clock })
    const withFilter = { filters: ['full_name'] }
    call(living, '/v1/authors', callerOf('key_a'), withFilter)
    const begun = living.flush()
    await setImmediate()
    call(living, '/v1/authors', callerOf('key_b'), withFilter)
    const counts = async () => [await total(store), (await readDetails(store, everything)).length]
    const settled = async () => {
      await awaitRecorders(store, clock)
      return counts()
    }
    expect(await whileBeating(clock, () => living.flush(), settled)).toEqual([2, 2])
    await begun
    expect(await readGaps(store, 0)).toEqual([])
  })

  test('usage older than 400 days goes, with ended processes; what is younger and other gaps stay', async () => {
    const store = await openMigrated(stores)
    const clock = setClock('2025-01-01T00:00:00Z')
    const old = await openRecorder({ store, clock })
    for (let i = 0; i < 250; i++) call(old, '/v1/authors', callerOf(`key_${i}`), { filters: ['full_name'] })
    await old.end()
    clock.pass(300 * 86_400_000)
    const young = await openRecorder({ store, clock })
    call(young, '/v1/authors', callerOf('key_young'))
    await young.flush()
    clock.pass(101 * 86_400_000)
    await markSilent(store, clock.now())
    await sweepUsage(store, clock.now())
    expect((await readOperations(store, everything)).map(({ consumer }) => consumer)).toEqual(['key_young'])
    expect(await readDetails(store, everything)).toEqual([])
    expect(await readGaps(store, 0)).toHaveLength(1)
    expect(await readUnended(store)).toHaveLength(1)
    expect(await store.all('SELECT 1 FROM "nounkit_recorders"', [])).toHaveLength(1)
  })
})

describe('memory', () => {
  const stores = storeUnderTest('sqlite')

  test('does not grow with the names, methods and ids that clients send', async () => {
    const store = await openMigrated(stores)
    const recorder = await openRecorder({ store, clock: setClock('2026-01-05T00:00:00Z') })
    call(recorder, '/v1/authors/1', callerOf('key_a'), { fields: ['full_name'] })
    const { size } = recorder
    for (let i = 0; i < 5_000; i++) {
      call(recorder, `/v1/authors/${i}`, callerOf('key_a'), { fields: [`field_${i}`], filters: [`f${i}`] })
      call(recorder, `/v1/nowhere-${i}`, null, {}, 404)
      recorder.count(`METHOD${i}`, 405, {
        target: router.find('/v1/authors'),
        caller: null,
        uses: nothingUsed,
      })
    }
    expect(recorder.size).toBe(size)
  })

  test('is bounded when very many consumers call: those beyond count as anonymous, and no call is lost', async () => {
    const store = await openMigrated(stores)
    let asked = 0
    const recorder = await openRecorder({
      store,
      clock: setClock('2026-01-05T00:00:00Z'),
      limits: { usage: 100, details: 150 },
      flushSoon: () => asked++,
    })
    for (let i = 0; i < 1_000; i++)
      call(recorder, '/v1/authors', callerOf(`token:${i}`), { filters: ['full_name'] })
    expect(recorder.size).toBeLessThanOrEqual(302)
    expect(asked).toBeGreaterThan(0)
    await recorder.flush()
    expect(await total(store)).toBe(1_000)
    const counted = await readOperations(store, everything)
    expect(counted).toHaveLength(101)
    expect(counted.find(({ consumer }) => consumer === 'anonymous')?.calls).toBe(900)
    expect(recorder.size).toBe(0)
  })
})
