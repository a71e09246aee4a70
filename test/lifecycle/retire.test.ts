import { expect, test } from 'vitest'
import { KeyRing, type NewKey } from '../../src/guard/key-ring.ts'
import { storeContact } from '../../src/lifecycle/contacts.ts'
import { type RetireOptions, type RetireOutcome, retireVersion } from '../../src/lifecycle/retire-version.ts'
import { readDecisions, withdrawDecision } from '../../src/lifecycle/retirement-decisions.ts'
import { webFetch } from '../../src/serve/mounted.ts'
import type { Service } from '../../src/serve/service.ts'
import { walkedStores } from '../support/databases.ts'
import { openLibrary } from '../support/library.ts'
import { type SetClock, setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'
import { whileBeating } from './while-beating.ts'

const afterSunset = '2026-04-15T12:00:00Z'
const day = 86_400_000
const minute = 60_000
/** Long enough to see that a process is dead. */
const short = { patienceMs: 2_000 }

async function keyOf(service: Service, key: Partial<NewKey> = {}): Promise<string> {
  return (await new KeyRing(service.store).create({ account: 'acme', name: 'till', ...key })).secret
}

async function call(service: Service, path: string, key: string | null = null): Promise<number> {
  const headers: { [name: string]: string } = key ? { authorization: `Bearer ${key}` } : {}
  const request = new Request(`http://localhost${path}`, { headers })
  const { status } = await webFetch(service, () => {})(request, 'test')
  return status
}

/** Decides while the given processes are alive and write. */
async function retire(
  services: readonly Service[],
  clock: SetClock,
  change: Partial<RetireOptions> & { readonly version?: string } = {},
): Promise<RetireOutcome> {
  const { version: name = 'v1', ...options } = change
  const [service] = services
  const version = service?.model.versions.find((one) => one.name === name)
  if (!service || !version) throw new Error(`no ${name}`)
  const all = { clock, windowMs: 30 * day, by: 'ada', dryRun: false, ...options }
  const beat = () => Promise.all(services.map(({ lifecycle }) => lifecycle.beat()))
  return whileBeating(clock, beat, () => retireVersion(service.store, version, all))
}

const kinds = ({ blockers }: RetireOutcome): readonly string[] => blockers.map(({ kind }) => kind)

describeStores(
  'retiring',
  (stores) => {
    test('is held up by calls with an external key, whatever key of that name came after it', async () => {
      const clock = setClock(afterSunset)
      const service = await openLibrary(await stores.url(), clock)
      expect(await call(service, '/v1/authors', await keyOf(service))).toBe(200)
      const later = await new KeyRing(service.store).replace({
        account: 'acme',
        name: 'till',
        kind: 'internal',
      })
      expect(await call(service, '/v1/authors', later.secret)).toBe(200)
      const refusal = await retire([service], clock)
      expect(kinds(refusal)).toEqual(['traffic'])
      expect(refusal.facts.traffic).toMatchObject([
        { calls: 2, consumer: { name: 'till', kind: 'external' } },
      ])
    })

    test('counts the calls that processes hold in memory, and passes once the consumer was contacted', async () => {
      const clock = setClock(afterSunset)
      const url = await stores.url()
      const [one, two] = [await openLibrary(url, clock), await openLibrary(url, clock)]
      const key = await keyOf(one, { contact: 'till@acme.example' })
      expect(await call(one, '/v1/authors', key)).toBe(200)
      expect(await call(two, '/v1/authors', key)).toBe(200)
      const refusal = await retire([one, two], clock)
      expect(kinds(refusal)).toEqual(['traffic'])
      expect(refusal.facts.traffic).toMatchObject([
        { calls: 2, consumer: { name: 'till', contact: 'till@acme.example' } },
      ])
      expect(refusal.retired).toBe(false)

      const contact = {
        version: 'v1',
        account: 'acme',
        consumer: 'till',
        note: 'mail',
        by: null,
        at: clock.now(),
      }
      await storeContact(one.store, contact)
      expect(await retire([one, two], clock, { dryRun: true })).toMatchObject({
        allowed: true,
        retired: false,
      })
      expect(await readDecisions(one.store)).toEqual([])
      const { retired, facts } = await retire([one, two], clock)
      expect(retired).toBe(true)
      const [decision] = await readDecisions(one.store)
      expect(decision).toMatchObject({
        version: 'v1',
        decidedBy: 'ada',
        decidedAt: facts.now,
        withdrawnAt: null,
        evidence: { sunset: '2025-12-31', traffic: [{ contacted: { note: 'mail' } }] },
      })
    })

    test('is decided once, when several decide at the same time', async () => {
      const clock = setClock(afterSunset)
      const service = await openLibrary(await stores.url(), clock)
      expect(await call(service, '/v1')).toBe(200)
      const outcomes = await Promise.all(['ada', 'bob', 'eve'].map((by) => retire([service], clock, { by })))
      expect(outcomes.map(({ retired }) => retired)).toEqual([true, true, true])
      const [decision, ...others] = await readDecisions(service.store)
      expect(others).toEqual([])
      const later = outcomes.filter(({ before }) => before !== null)
      expect(later).toMatchObject([{ before: decision }, { before: decision }])
    })

    test('the decision reaches every process without a restart, and its withdrawal too', async () => {
      const clock = setClock(afterSunset)
      const url = await stores.url()
      const deciding = await openLibrary(url, clock)
      const other = await openLibrary(url, clock, 100)
      expect(await call(deciding, '/v1')).toBe(200)
      expect(await call(other, '/v1')).toBe(200)
      await deciding.lifecycle.beat()
      expect((await retire([deciding, other], clock)).retired).toBe(true)
      await expect.poll(() => call(other, '/v1'), { timeout: 60_000 }).toBe(410)
      expect(await call(other, '/v2')).toBe(200)
      expect((await retire([deciding], clock)).before).toMatchObject({ version: 'v1' })

      clock.pass(1_000)
      const deed = { version: 'v1', at: clock.now(), by: 'bob' }
      expect(await withdrawDecision(deciding.store, deed, 'too early')).toBe(true)
      expect(await withdrawDecision(deciding.store, deed, null)).toBe(false)
      await expect.poll(() => call(other, '/v1'), { timeout: 60_000 }).toBe(200)
      expect((await retire([deciding, other], clock)).retired).toBe(true)
      expect(await readDecisions(deciding.store)).toMatchObject([
        { number: 1, withdrawnAt: deed.at, withdrawnBy: 'bob', withdrawnWhy: 'too early' },
        { number: 2, withdrawnAt: null },
      ])
    })

    test('a version that is retired in the store is retired for a process that starts', async () => {
      const clock = setClock(afterSunset)
      const url = await stores.url()
      const first = await openLibrary(url, clock)
      await call(first, '/v1')
      expect((await retire([first], clock)).retired).toBe(true)
      expect(await call(await openLibrary(url, clock), '/v1/authors')).toBe(410)
    })

    test('anonymous calls that were served hold it up; refused ones, documents and probes do not', async () => {
      const clock = setClock(afterSunset)
      const service = await openLibrary(await stores.url(), clock)
      const probe = await keyOf(service, { name: 'watch', kind: 'probe' })
      expect(await call(service, '/v1/authors', probe)).toBe(200)
      expect(await call(service, '/v1/authors')).toBe(401)
      expect(await call(service, '/v1/authors', 'nk_wrong')).toBe(401)
      expect(await call(service, '/v1/nowhere')).toBe(404)
      expect(await call(service, '/v1')).toBe(200)
      expect(kinds(await retire([service], clock, { dryRun: true }))).toEqual([])
      expect(await call(service, '/v1/leaflets')).toBe(200)
      const { facts, blockers } = await retire([service], clock)
      expect(blockers.map(({ kind }) => kind)).toEqual(['anonymous-traffic'])
      expect(facts.anonymous?.calls).toBe(1)
    })

    test('traffic before the window is no traffic; attempts on a retired version are none either', async () => {
      const clock = setClock(afterSunset)
      const service = await openLibrary(await stores.url(), clock)
      const key = await keyOf(service)
      await call(service, '/v1/authors', key)
      expect(kinds(await retire([service], clock))).toEqual(['traffic'])
      clock.pass(30 * day - minute)
      await service.lifecycle.beat()
      expect(kinds(await retire([service], clock, { dryRun: true }))).toEqual(['traffic'])
      clock.pass(minute)
      expect((await retire([service], clock)).retired).toBe(true)
      await service.lifecycle.beat()
      expect(await call(service, '/v1/authors', key)).toBe(410)
      await withdrawDecision(service.store, { version: 'v1', at: clock.now(), by: null }, null)
      expect((await retire([service], clock)).retired).toBe(true)
    })

    test('a process that died holds it up until the window has left its gap', async () => {
      const clock = setClock(afterSunset)
      const url = await stores.url()
      const dead = await openLibrary(url, clock)
      const living = await openLibrary(url, clock)
      await call(living, '/v1')
      expect(kinds(await retire([living], clock, short))).toEqual(['recording-gap'])
      clock.pass(29 * day)
      await living.lifecycle.beat()
      expect(kinds(await retire([living], clock))).toEqual(['recording-gap'])
      clock.pass(day + 12_001)
      await living.lifecycle.beat()
      expect((await retire([living], clock)).retired).toBe(true)
      await dead.lifecycle.beat()
    })

    test('before the sunset, all blockers are reported at once', async () => {
      const clock = setClock('2024-08-01T00:00:00Z')
      const url = await stores.url()
      const service = await openLibrary(url, clock)
      await openLibrary(url, clock)
      const key = await keyOf(service)
      await call(service, '/v3/writers', key)
      await call(service, '/v3/leaflets')
      expect(kinds(await retire([service], clock, { version: 'v3', ...short }))).toEqual([
        'no-successor',
        'no-guide',
        'overlap-too-short',
        'sunset-not-reached',
        'signal-never-sent',
        'traffic',
        'anonymous-traffic',
        'recording-gap',
      ])
      expect(kinds(await retire([service], clock, { version: 'v2' }))).toEqual([
        'no-successor',
        'overlap-too-short',
        'sunset-not-reached',
        'signal-never-sent',
        'recording-gap',
      ])
    })

    test('a successor that is retired itself is passed over', async () => {
      const clock = setClock(afterSunset)
      const service = await openLibrary(await stores.url(), clock)
      await call(service, '/v1')
      await call(service, '/v2')
      expect((await retire([service], clock, { version: 'v2' })).retired).toBe(true)
      const { facts, retired } = await retire([service], clock)
      expect(retired).toBe(true)
      expect(facts).toMatchObject({ successor: { name: 'v3' }, guide: '/docs/migrations/v1-to-v3' })
    })
  },
  walkedStores,
)
