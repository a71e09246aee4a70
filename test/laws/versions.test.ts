import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { faultsIn } from '../support/contract-validator.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { oneStep, threeVersions } from '../support/three-versions.ts'
import { type Call, callsOn } from '../support/versioned-client.ts'

const model = compileApi(threeVersions)
const contracts = new Map(model.versions.map((version) => [version.name, contractOf(model, version)]))
const contractNamed = (name: string) => {
  const contract = contracts.get(name)
  if (!contract) throw new Error(`no contract of ${name}`)
  return contract
}

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => !text.includes(', ') && !text.includes('\0') && text.isWellFormed())
const moment = fc
  .date({ min: new Date(0), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

/** Any sender the newest version can store. */
const sender = fc.record(
  {
    name: word,
    tier: fc.constantFrom('basic', 'plus', 'gold'),
    language: fc.constantFrom('de', 'en', 'fr'),
    country: fc.constantFrom('DE', 'FR'),
    balance: fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
    active: fc.boolean(),
    joined_at: fc.option(moment),
    street: word,
    city: word,
  },
  { requiredKeys: ['name', 'language', 'country', 'street', 'city'] },
)

/** Any user v1 can send. Two decimals and no minus before zero: the one form in which amounts are shown. */
const user = fc.record(
  {
    title: word,
    tier: fc.constantFrom('free', 'plus'),
    language: fc.constantFrom('de', 'en', 'fr'),
    balance: fc
      .integer({ min: -1_000_000_000, max: 1_000_000_000 })
      .map(
        (cents) =>
          `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`,
      ),
    active: fc.constantFrom(0, 1),
    joined_at: fc.option(fc.integer({ min: 0, max: 4_000_000_000 })),
    home: fc.record({ line: fc.tuple(word, word).map((parts) => parts.join(', ')) }),
    fax: fc.option(word),
  },
  { requiredKeys: ['title', 'home', 'language'] },
)

/** What each version calls the same things. */
const words = {
  v1: { users: 'users', packages: 'packages', owner: 'owner', events: 'events' },
  v2: { users: 'senders', packages: 'packages', owner: 'sender', events: 'events' },
  v3: { users: 'senders', packages: 'parcels', owner: 'sender', events: 'scans' },
}

const walks = [[], ['shipped'], ['shipped', 'lost'], ['shipped', 'lost', 'delivered'], ['withdrawn']]
const parcel = fc.record({
  weight: fc.integer({ min: 1, max: 9_999 }),
  priority: fc.constantFrom('low', 'normal', 'high'),
})

/** A sender, a parcel of that sender, and the moves of its state. */
const history = fc.record({ row: sender, values: parcel, walk: fc.constantFrom(...walks) })

const unchanging = ({ updated_at: _, ...rest }: { readonly [key: string]: unknown }) => rest

describe.each(storeKinds)('laws over generated data on %s', (kind) => {
  let call: Call
  let direct: Call
  beforeAll(async () => {
    const url = await emptyDatabase(kind)
    call = await callsOn(threeVersions, url, contracts)
    direct = await callsOn(oneStep, url)
  })

  const created = async (path: string, body: unknown) => {
    const answer = await call('POST', path, body)
    expect(answer.status, answer.text).toBe(201)
    return answer.data
  }
  const shown = async (path: string) => {
    const answer = await call('GET', path)
    expect(answer.status, answer.text).toBe(200)
    return answer.data
  }
  const walkedParcel = async (senderId: unknown, values: object, walk: readonly string[]) => {
    const { id } = await created('/v3/parcels', { ...values, sender_id: senderId })
    for (const stage of walk) expect((await call('PATCH', `/v3/parcels/${id}`, { stage })).status).toBe(200)
    return id
  }
  const holds = <T>(values: fc.Arbitrary<T>, law: (value: T) => Promise<void>) =>
    fc.assert(fc.asyncProperty(values, law), { numRuns: 10 })

  test('down(up(x)) = x: what v1 sends, v1 reads', () =>
    holds(user, async (sent) => {
      const { id } = await created('/v1/users', sent)
      expect(await shown(`/v1/users/${id}`)).toMatchObject(sent)
    }))

  test('down(up(x)) = x also for codes, numbers as text, and states on their way', () =>
    holds(
      fc.record({
        weight: fc.integer({ min: 1, max: 9_999 }).map(String),
        code: word,
        priority: fc.constantFrom('low', 'high'),
        walk: fc.constantFrom([], ['out'], ['out', 'delivered'], ['withdrawn']),
      }),
      async ({ walk, ...sent }) => {
        const { id: owner_id } = await created('/v1/users', { title: 'A', home: { line: 'S, C' } })
        const { id, stage: first } = await created('/v1/packages', { ...sent, owner_id })
        expect(first).toBe('boxed')
        for (const stage of walk)
          expect((await call('PATCH', `/v1/packages/${id}`, { stage })).status).toBe(200)
        const stage = walk.at(-1) ?? 'boxed'
        expect(await shown(`/v1/packages/${id}`)).toMatchObject({ ...sent, owner_id, stage })
        const inHead =
          new Map([
            ['boxed', 'packed'],
            ['out', 'shipped'],
          ]).get(stage) ?? stage
        expect(await shown(`/v3/parcels/${id}`)).toMatchObject({ stage: inHead, weight: Number(sent.weight) })
      },
    ))

  test('up(valid v1) is a valid head', () => {
    const faults = faultsIn(contractNamed('v3'))
    return holds(user, async (sent) => {
      const { id } = await created('/v1/users', sent)
      const row = await shown(`/v3/senders/${id}`)
      expect(faults('senders', row)).toEqual([])
      expect(row.country).toBe('DE')
    })
  })

  test.each(['v1', 'v2'])('down(valid head) is valid against the frozen %s', (version) => {
    const faults = faultsIn(contractNamed(version))
    const users = version === 'v1' ? 'users' : 'senders'
    return holds(history, async ({ row, values, walk }) => {
      const { id } = await created('/v3/senders', row)
      const parcelId = await walkedParcel(id, values, walk)
      expect(faults(users, await shown(`/${version}/${users}/${id}`))).toEqual([])
      expect(faults('packages', await shown(`/${version}/packages/${parcelId}`))).toEqual([])
    })
  })

  test('put(get(h), h) = h: an older GET and PUT erase nothing', () =>
    holds(history, async ({ row, values, walk }) => {
      const { id } = await created('/v3/senders', row)
      const parcelId = await walkedParcel(id, values, walk)
      const paths = [`/v3/senders/${id}`, `/v3/parcels/${parcelId}`]
      const before = await Promise.all(paths.map(shown))
      for (const older of [`/v1/users/${id}`, `/v2/senders/${id}`, `/v1/packages/${parcelId}`]) {
        const put = await call('PUT', older, await shown(older))
        expect(put.status, put.text).toBe(200)
      }
      const after = await Promise.all(paths.map(shown))
      expect(after.map(unchanging)).toEqual(before.map(unchanging))
    }))

  test('an older PATCH changes only what was sent', () =>
    holds(fc.tuple(sender, word), async ([row, title]) => {
      const { id } = await created('/v3/senders', row)
      const before = await shown(`/v3/senders/${id}`)
      expect((await call('PATCH', `/v1/users/${id}`, { title })).status).toBe(200)
      expect(unchanging(await shown(`/v3/senders/${id}`))).toEqual({ ...unchanging(before), name: title })
    }))

  test.each(['v1', 'v2', 'v3'] as const)(
    'in %s a list is its rows, and an included row is the row alone',
    async (version) => {
      const { users, packages, owner, events } = words[version]
      const { id } = await created('/v3/senders', {
        name: 'A',
        language: 'de',
        country: 'FR',
        street: 'S',
        city: 'C',
        tier: 'gold',
      })
      for (const walk of walks) {
        const parcelId = await walkedParcel(id, { weight: 1 + walk.length }, walk)
        await created(`/v3/parcels/${parcelId}/scans`, { place: 'Ulm' })
      }
      const list = (await call('GET', `/${version}/${users}/${id}/parcels?include=${owner},${events}`)).rows
      expect(list).toHaveLength(walks.length)
      const alone = await shown(`/${version}/${users}/${id}`)
      for (const { [owner]: included, [events]: below, ...row } of list) {
        expect(row).toEqual(await shown(`/${version}/${packages}/${row.id}`))
        expect(included).toEqual(alone)
        const page = below as { readonly data: readonly { readonly id: string }[] }
        const own = await call('GET', `/${version}/${packages}/${row.id}/${events}`)
        expect(page.data).toEqual(own.rows)
      }
    },
  )

  test.each(['v1', 'v2', 'v3'] as const)('in %s a filter by what is shown finds the row', (version) => {
    const { users } = words[version]
    const { filters } = contractNamed(version).resources[users] ?? { filters: {} }
    return holds(sender, async (row) => {
      const { id } = await created('/v3/senders', row)
      const alone = await shown(`/${version}/${users}/${id}`)
      const query = Object.keys(filters).map(
        (name) => `filter[${name}]=${encodeURIComponent(String(alone[name]))}`,
      )
      const found = await call('GET', `/${version}/${users}?limit=100&${query.join('&')}`)
      expect(found.status, found.text).toBe(200)
      expect(found.rows).toContainEqual(alone)
      for (const other of found.rows)
        for (const name of Object.keys(filters)) expect(other[name]).toEqual(alone[name])
    })
  })

  test('v1 → v3 is v1 → v2 → v3: the same bytes', () =>
    holds(history, async ({ row, values, walk }) => {
      const { id } = await created('/v3/senders', row)
      const parcelId = await walkedParcel(id, values, walk)
      for (const path of [
        `/v1/users/${id}?include=parcels`,
        `/v1/packages/${parcelId}?include=owner,events`,
      ]) {
        expect((await direct('GET', path)).text).toBe((await call('GET', path)).text)
      }
    }))
})
