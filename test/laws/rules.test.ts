import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StoreKind } from '../support/databases.ts'
import { patiently } from '../support/patiently.ts'
import { randomClaims, ruleScopes } from '../support/random-rules.ts'
import { compareCall, randomCall, type Send } from '../support/rule-calls.ts'
import { type AllRows, Oracle } from '../support/rule-oracle.ts'
import { type Rules, randomRules, randomValues, ruledApi, toOne } from '../support/rule-world.ts'
import { type Answer, type Row, type Serving, serve } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'
import { unique } from '../support/shop-rows.ts'
import { describeStores } from '../support/stores.ts'

const nightly = process.env.NOUNKIT_NIGHTLY === '1'
const leastCases = nightly ? 10_000 : 100
const now = '2026-06-01T12:00:00.000Z'

const references = fc.array(fc.option(fc.nat(20), { freq: 5 }), { minLength: 2, maxLength: 2 })
const rows = fc.array(fc.tuple(randomValues, references), { minLength: 2, maxLength: 5 })
const caller = fc.record({
  scopes: fc.subarray([...ruleScopes]),
  claims: randomClaims,
  subject: fc.constantFrom(null, 'a', 'B'),
  calls: fc.array(randomCall, { minLength: 4, maxLength: 8 }),
})
/** Rows, and several sets of rules that are applied to them one after the other. */
const world = fc.record({
  shelves: rows,
  boxes: rows,
  items: rows,
  turns: fc.array(
    fc.record({ rules: randomRules, callers: fc.array(caller, { minLength: 2, maxLength: 4 }) }),
    { minLength: 3, maxLength: 6 },
  ),
})

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never

interface Store {
  readonly kind: StoreKind
  readonly url: string
  /** The same API without rules. */
  readonly plain: Serving
}

/** Rows of each resource, which refer to some of those that are there before them. */
async function fill({ plain }: Store, as: string, wanted: ValueOf<typeof world>): Promise<void> {
  const there: { [resource: string]: Row[] } = {
    groups: [...(await plain.get('/v1/groups', { as })).rows],
    shelves: [],
    boxes: [],
    items: [],
  }
  for (const resource of ['shelves', 'boxes', 'items'] as const) {
    for (const [values, picks] of wanted[resource]) {
      const body: { [field: string]: unknown } = { ...values }
      for (const [at, [name, target]] of Object.entries(toOne[resource] ?? {}).entries()) {
        const targets = there[target] ?? []
        const pick = picks[at] ?? null
        body[`${name}_id`] = pick === null ? null : (targets[pick % targets.length]?.id ?? null)
      }
      there[resource]?.push(await plain.make(`/v1/${resource}`, body, { as }))
    }
  }
}

const allRows = async ({ plain }: Store, as: string): Promise<AllRows> => {
  const read = async (resource: string): Promise<[string, readonly Row[]]> => [
    resource,
    (await patiently(() => plain.get(`/v1/${resource}?limit=100`, { as }))).rows,
  ]
  return Object.fromEntries(await Promise.all(['groups', 'shelves', 'boxes', 'items'].map(read)))
}

/** Everything that these callers are told is what the oracle says. */
async function compareCallers(
  store: Store,
  as: string,
  rules: Rules,
  callers: readonly ValueOf<typeof caller>[],
): Promise<number> {
  const ruled = await serve(store.kind, store.url, { declaration: ruledApi(rules), clock: setClock(now) })
  let there = await allRows(store, as)
  let compared = 0
  for (const { scopes, claims, subject, calls } of callers) {
    const consumer = unique()
    const usual = ['groups', 'shelves', 'boxes', 'items'].flatMap((name) => [`${name}:read`, `${name}:write`])
    const key = await ruled.api.key(as, { name: consumer, scopes: [...scopes, ...usual], claims, subject })
    for (const call of calls) {
      // Calls on SQLite never wait, and a server whose timers are late takes itself for overloaded.
      await setImmediate()
      const oracle = new Oracle(rules, there, { scopes, claims, subject, consumer }, now)
      let last: Answer | null = null
      const send: Send = async (method, path, options) => {
        last = await patiently(() => ruled.call(method, path, { ...options, as: key }))
        return last
      }
      const world = () => JSON.stringify({ rules, scopes, claims, subject, consumer, there })
      compared += await compareCall(call, oracle, send).catch((error: Error) => {
        throw new Error(`${error.message}\n${world()}`, { cause: error })
      })
      const isWrite = !['one', 'list', 'sub', 'nested'].includes(call.op)
      if (!isWrite || last === null) continue
      const after = await allRows(store, as)
      // What is refused changes nothing.
      if ((last as Answer).status >= 400) expect(after).toEqual(there)
      there = after
    }
  }
  await ruled.api.close()
  return compared
}

describeStores('rules on rows', ({ kind, url: makeUrl }) => {
  test(
    'let callers see and change what filtering all rows in JavaScript says',
    async () => {
      const url = await makeUrl()
      const store = {
        kind,
        url,
        plain: await serve(kind, url, { declaration: ruledApi(null), clock: setClock(now) }),
      }
      for (const values of fc.sample(randomValues, { numRuns: 3, seed: 1 }))
        await store.plain.make('/v1/groups', values, { as: await store.plain.key('shared') })
      let compared = 0
      const holds = fc.asyncProperty(world, async (one) => {
        const as = unique()
        await fill(store, as, one)
        for (const { rules, callers } of one.turns)
          compared += await compareCallers(store, as, rules, callers)
      })
      do
        await fc.assert(holds, {
          numRuns: nightly ? 20 : 3,
          ...(nightly ? {} : { seed: 20_261_117 }),
          endOnFailure: true,
        })
      while (compared < leastCases)
      expect(compared).toBeGreaterThanOrEqual(leastCases)
      if (nightly) console.log(`rules on rows (${kind}): ${compared} answers compared`)
    },
    nightly ? 0 : 300_000,
  )
})
