import { describe, expect, test } from 'vitest'
import { monthsAfter } from '../../src/compile/versions/dates.ts'
import {
  type BlockerKind,
  type ConsumerTraffic,
  decideRetirement,
  type RetirementFacts,
} from '../../src/lifecycle/decide.ts'

const at = (time: string): number => Date.parse(time)
const day = 86_400_000

/** Facts on which v1 may end. */
const fair: RetirementFacts = {
  now: at('2027-01-15T12:00:00Z'),
  version: 'v1',
  deprecated: '2026-06-01',
  sunset: '2026-12-31',
  announcedSunset: null,
  successor: { name: 'v2', published: '2026-06-01' },
  guide: '/docs/migrations/v1-to-v2',
  signalFirstSentAt: at('2026-06-01T08:00:00Z'),
  windowMs: 30 * day,
  traffic: [],
  webhooks: [],
  anonymous: null,
  gaps: [],
}

const caller = (name: string, change: Partial<ConsumerTraffic> = {}): ConsumerTraffic => ({
  consumer: { account: 'acme', name, kind: 'external', contact: null },
  calls: 3,
  lastSeen: at('2027-01-14T09:30:00Z'),
  contacted: null,
  ...change,
})

const told = { version: 'v1', account: 'acme', consumer: 'till', note: 'mail', by: null, at: fair.now - day }
const gap = { from: at('2027-01-10T00:00:00Z'), until: at('2027-01-10T00:00:12Z') }

const endpoint = {
  account: 'acme',
  name: 'webhook:01',
  kind: 'external',
  contact: 'receiver.example',
  url: 'https://receiver.example/',
  since: at('2026-12-01T00:00:00Z'),
  contacted: null,
} as const

/** What makes each blocker, alone. */
const hindrances: { readonly [K in BlockerKind]: Partial<RetirementFacts> } = {
  'no-successor': { successor: null },
  'no-guide': { guide: null },
  'overlap-too-short': { deprecated: '2026-07-16' },
  'sunset-not-reached': { sunset: '2027-01-15' },
  'signal-never-sent': { signalFirstSentAt: null },
  traffic: { traffic: [caller('till')] },
  webhook: { webhooks: [endpoint] },
  'anonymous-traffic': { anonymous: { calls: 1, lastSeen: at('2027-01-14T09:30:00Z') } },
  'recording-gap': { gaps: [gap] },
}

const kindsOf = (facts: RetirementFacts): readonly BlockerKind[] =>
  decideRetirement(facts).blockers.map(({ kind }) => kind)

test('with nothing in the way a version may end', () => {
  expect(decideRetirement(fair)).toEqual({ allowed: true, blockers: [] })
})

describe('each blocker', () => {
  for (const [kind, hindrance] of Object.entries(hindrances)) {
    test(`${kind} alone refuses, and says what would lift it`, () => {
      const { allowed, blockers } = decideRetirement({ ...fair, ...hindrance })
      expect(allowed).toBe(false)
      expect(blockers.map((one) => one.kind)).toEqual([kind])
      expect(blockers[0]?.what).toMatch(/\.$/)
      expect(blockers[0]?.lift).toMatch(/\.$/)
    })
  }

  test('all together are reported at once', () => {
    const all = Object.assign({}, fair, ...Object.values(hindrances))
    expect(kindsOf(all)).toEqual(Object.keys(hindrances))
  })
})

describe('the successor', () => {
  test('must have a day of publication', () => {
    expect(kindsOf({ ...fair, successor: { name: 'v2', published: null } })).toEqual(['no-successor'])
  })
  test('must be published by now', () => {
    const facts = { ...fair, successor: { name: 'v2', published: '2027-02-01' } }
    expect(kindsOf(facts)).toEqual(['no-successor', 'overlap-too-short'])
  })
})

describe('six calendar months', () => {
  test.each([
    ['2026-08-31', '2027-02-28'],
    ['2027-08-31', '2028-02-29'],
    ['2026-08-28', '2027-02-28'],
    ['2026-03-31', '2026-09-30'],
    ['2026-05-15', '2026-11-15'],
    ['2026-12-31', '2027-06-30'],
  ])('after %s end with %s', (announced, end) => {
    expect(monthsAfter(announced, 6)).toBe(end)
    const facts = {
      ...fair,
      deprecated: announced,
      sunset: announced,
      successor: { name: 'v2', published: announced },
    }
    const before = { ...facts, now: at(`${end}T00:00:00Z`) - 1 }
    expect(kindsOf(before)).toEqual(['overlap-too-short'])
    expect(decideRetirement(before).blockers[0]?.lift).toBe(`Wait until ${end}.`)
    expect(kindsOf({ ...facts, now: at(`${end}T00:00:00Z`) })).toEqual([])
  })

  test('begin when the successor is there, not when the deprecation is announced before it', () => {
    const facts = { ...fair, successor: { name: 'v2', published: '2026-08-31' } }
    expect(decideRetirement(facts).blockers[0]?.lift).toBe('Wait until 2027-02-28.')
  })
  test('are described as past or as future by the current day', () => {
    const successor = (published: string) => ({ name: 'v2', published })
    const told = (facts: Partial<RetirementFacts>) =>
      decideRetirement({
        ...fair,
        now: at('2026-11-15T12:00:00Z'),
        sunset: '2026-11-01',
        ...facts,
      }).blockers.map(({ what, lift }) => `${what} ${lift}`)
    expect(told({})).toEqual([
      'v1 was deprecated on 2026-06-01: less than 6 calendar months ago. Wait until 2026-12-01.',
    ])
    expect(told({ deprecated: '2027-01-01' })).toEqual([
      'v1 will be deprecated on 2027-01-01: the 6 calendar months of overlap begin on that day. Wait until 2027-07-01.',
    ])
    expect(told({ successor: successor('2026-09-01') })).toEqual([
      'v1 was deprecated on 2026-06-01, and its successor was published on 2026-09-01: less than 6 calendar months ago. Wait until 2027-03-01.',
    ])
    expect(told({ successor: successor('2027-02-01') })).toEqual([
      'The successor v2 is not published before 2027-02-01. Wait until 2027-02-01.',
      'v1 was deprecated on 2026-06-01, and its successor will be published on 2027-02-01: the 6 calendar months of overlap begin on that day. Wait until 2027-08-01.',
    ])
  })
  test('never begin without a deprecation', () => {
    expect(kindsOf({ ...fair, deprecated: null })).toEqual(['overlap-too-short'])
  })
})

describe('the sunset', () => {
  test('is the whole day, to its last second', () => {
    expect(kindsOf({ ...fair, now: at('2026-12-31T23:59:59.999Z') })).toEqual(['sunset-not-reached'])
    expect(kindsOf({ ...fair, now: at('2027-01-01T00:00:00Z') })).toEqual([])
  })
  test('is the latest that callers were sent, even if an earlier one or none is declared now', () => {
    const later = { ...fair, announcedSunset: '2027-03-31' }
    const told = (facts: RetirementFacts) =>
      decideRetirement(facts).blockers.map(({ kind, what, lift }) => `${kind}: ${what} ${lift}`)
    expect(told(later)).toEqual([
      'sunset-not-reached: v1 is promised until the end of 2027-03-31: its callers were told so, though its declaration says 2026-12-31. Wait until 2027-04-01.',
    ])
    expect(told({ ...later, sunset: null })).toEqual([
      "sunset-not-reached: v1 has no sunset any more, though its callers were told 2027-03-31. Write sunset: '2027-03-31' into its declaration, and wait for that day to pass.",
    ])
    expect(told({ ...later, now: at('2027-04-01T00:00:00Z') })).toEqual([])
    expect(kindsOf({ ...fair, announcedSunset: '2026-10-31', now: at('2026-12-30T00:00:00Z') })).toEqual([
      'sunset-not-reached',
    ])
  })
  test('must have been set', () => {
    expect(kindsOf({ ...fair, sunset: null })).toEqual(['sunset-not-reached'])
  })
})

describe('traffic', () => {
  test('of each consumer that was not contacted is a blocker of its own, with the command that records a contact', () => {
    const { blockers } = decideRetirement({ ...fair, traffic: [caller('till'), caller('the app')] })
    expect(blockers.map(({ consumer }) => consumer?.name)).toEqual(['till', 'the app'])
    expect(blockers[1]?.lift).toContain("contact v1 --account acme --consumer 'the app' --note")
  })
  test('of contacted consumers does not block', () => {
    expect(decideRetirement({ ...fair, traffic: [caller('till', { contacted: told })] }).allowed).toBe(true)
  })
  test('of internal consumers and probes does not count', () => {
    const own = (['internal', 'probe'] as const).map((kind) =>
      caller(kind, { consumer: { account: 'acme', name: kind, kind, contact: null } }),
    )
    expect(decideRetirement({ ...fair, traffic: own }).allowed).toBe(true)
  })
})

test('several gaps are one blocker, which ends when the window has left the last one', () => {
  const later = { from: gap.from + day, until: gap.until + day }
  const { blockers } = decideRetirement({ ...fair, gaps: [gap, later] })
  expect(blockers).toHaveLength(1)
  expect(blockers[0]?.what).toContain('1 time more')
  expect(blockers[0]?.lift).toContain('2027-02-10 00:00 UTC')
})
