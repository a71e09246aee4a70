import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Answer, describeServing, type Row, type Serving } from '../support/serving.ts'
import { plainScopes, trade } from '../support/trade.ts'

const numRuns = process.env.NOUNKIT_NIGHTLY ? 1_000 : 15

type Version = 'v1' | 'v2'
const needed = ['trade:finance', 'buyers:private'] as const

/** The scope that each field needs, by its name in each version. This is the model: nothing of the engine is asked. */
const scopeOf: {
  readonly [V in Version]: { readonly [resource: string]: { readonly [field: string]: string } }
} = {
  v2: {
    buyers: { first_name: 'buyers:private', credit: 'trade:finance' },
    deals: of('cost', 'rate', 'code', 'audit', 'expense'),
    lines: of('expense'),
  },
  v1: {
    buyers: { full_name: 'buyers:private', credit: 'trade:finance' },
    deals: of('spent', 'rate', 'code', 'audit', 'expense'),
    lines: of('expense'),
  },
}

function of(...fields: readonly string[]): { readonly [field: string]: string } {
  return Object.fromEntries(fields.map((field) => [field, 'trade:finance']))
}

type Held = readonly string[]
const withheld = (version: Version, resource: string, held: Held): readonly string[] =>
  Object.entries(scopeOf[version][resource] ?? {})
    .filter(([, scope]) => !held.includes(scope))
    .map(([field]) => field)

/** A row without what a caller may not see, at every depth. */
const without = (version: Version, resource: string, held: Held, value: Row): Row => {
  const gone = withheld(version, resource, held)
  const rest = Object.entries(value).filter(([name]) => !gone.includes(name))
  return Object.fromEntries(
    rest.map(([name, inner]) => {
      const related = { buyer: 'buyers', deals: 'deals', lines: 'lines' }[name]
      if (!related || inner === null) return [name, inner]
      const one = inner as Row & { readonly data?: readonly Row[] }
      if (!one.data) return [name, without(version, related, held, one)]
      return [name, { ...one, data: one.data.map((row) => without(version, related, held, row)) }]
    }),
  ) as Row
}

const version = fc.constantFrom<Version>('v1', 'v2')
const held = fc.subarray([...needed])
const small = fc.integer({ min: 0, max: 3 })
const word = fc.constantFrom('a', 'b', 'c')

interface Ask {
  readonly version: Version
  readonly resource: 'deals' | 'buyers'
  readonly query: readonly (readonly [parameter: string, field: string | null])[]
  readonly isList: boolean
}

const costOf = { v1: 'spent', v2: 'cost' } as const

const ask: fc.Arbitrary<Ask> = fc
  .record({
    version,
    resource: fc.constantFrom('deals' as const, 'buyers' as const),
    includes: fc.boolean(),
    filter: fc.option(fc.tuple(fc.constantFrom('eq', 'ne', 'gte'), small)),
    title: fc.option(word),
    sort: fc.option(fc.constantFrom('cost', '-cost', 'title')),
    isList: fc.boolean(),
  })
  .map(({ version, resource, includes, filter, title, sort, isList }) => {
    const cost = costOf[version]
    const include = resource === 'deals' ? 'include=buyer,lines' : 'include=deals.lines'
    const asked: [string, string | null][] = includes ? [[include, null]] : []
    // A page of the usual size could have too many rows with these includes.
    if (isList) asked.push(['limit=1', null])
    if (!isList || resource === 'buyers') return { version, resource, query: asked, isList }
    if (filter) asked.push([`filter[${cost}][${filter[0]}]=${filter[1]}`, cost])
    if (title) asked.push([`filter[title]=${title}`, null])
    if (sort === 'title') asked.push(['sort=title', null])
    else if (sort) asked.push([`sort=${sort.replace('cost', cost)}`, cost])
    return { version, resource, query: asked, isList }
  })

/** One key for each set of scopes. */
const keysOf = (served: Serving) => {
  const keys = new Map<string, Promise<string>>()
  return (scopes: Held): Promise<string> => {
    const name = `${scopes.join(' ') || 'none'} ${served.kind}`
    const key = keys.get(name) ?? served.api.key('acme', { scopes: [...plainScopes, ...scopes], name })
    keys.set(name, key)
    return key
  }
}

const refused = (answer: Answer, fields: readonly string[], where: string): void => {
  expect(answer.refusal, where).toEqual([403, 'scope-missing'])
  for (const field of fields) expect(JSON.stringify(answer.problem.errors)).toContain(field)
}

describeServing(
  'whatever scopes a caller holds',
  (served) => {
    const keyOf = keysOf(served)
    const fill = async (): Promise<{ buyer: Row; deals: readonly Row[] }> => {
      const buyer = await served.make('/v2/buyers', {
        name: 'x',
        first_name: 'Ada',
        last_name: 'B',
        credit: 3,
      })
      const deals: Row[] = []
      for (const [title, cost] of [
        ['a', 1],
        ['b', null],
        ['c', 3],
      ] as const) {
        const deal = await served.make('/v2/deals', {
          title,
          cost,
          code: `${title}${cost}`,
          buyer_id: buyer.id,
        })
        await served.make(`/v2/deals/${deal.id}/lines`, { text: 't', expense: 7 })
        deals.push(deal)
      }
      return { buyer, deals }
    }
    let filled: ReturnType<typeof fill> | undefined

    test('a read shows what * is shown without the fields it lacks a scope for, or is refused', async () => {
      filled ??= fill()
      const { buyer, deals } = await filled
      const law = fc.asyncProperty(ask, held, fc.nat(2), async (asked, scopes, at) => {
        const { version, resource, query, isList } = asked
        const id = resource === 'buyers' ? buyer.id : deals[at]?.id
        const path = `/${version}/${resource}${isList ? '' : `/${id}`}?${query.map(([text]) => text).join('&')}`
        const whole = await served.get(path.replace(/\?$/, ''))
        expect(whole.status, path).toBe(200)
        const mine = await served.get(path.replace(/\?$/, ''), { as: await keyOf(scopes) })
        const lacking = query.flatMap(([, field]) => field ?? [])
        const gone = withheld(version, resource, scopes)
        if (lacking.some((field) => gone.includes(field))) return refused(mine, lacking, path)
        const shown = (row: Row) => without(version, resource, scopes, row)
        if (isList) expect(mine.rows, path).toEqual(whole.rows.map(shown))
        else expect(mine.data, path).toEqual(shown(whole.data))
        // A tag stands for what is shown.
        if (!isList) expect(mine.etag === whole.etag, path).toBe(mine.text === whole.text)
      })
      await fc.assert(law, { numRuns })
    })

    const sent = fc.record(
      { title: word, cost: fc.option(small), audit: fc.constant('open'), rate: fc.constant(7) },
      { requiredKeys: [] },
    )

    test('a write changes what it sends and nothing else, or is refused and changes nothing', async () => {
      filled ??= fill()
      const { buyer } = await filled
      const law = fc.asyncProperty(
        version,
        held,
        fc.constantFrom('PUT', 'PATCH'),
        sent,
        async (version, scopes, method, body) => {
          const as = await keyOf(scopes)
          const made = await served.make('/v2/deals', { title: 'z', cost: 2, buyer_id: buyer.id })
          const path = `/${version}/deals/${made.id}`
          const { cost, ...rest } = body
          const renamed = { ...rest, ...(cost === undefined ? {} : { [costOf[version]]: cost }) }
          const whole = method === 'PUT' ? { title: 'z', buyer_id: buyer.id, ...renamed } : renamed
          const answer = await served.call(method, path, { as, body: whole })
          const { data: after } = await served.get(`/v2/deals/${made.id}`)
          const lacking = withheld(version, 'deals', scopes).filter((field) => field in whole)
          if (lacking.length > 0) {
            refused(answer, lacking, `${method} ${JSON.stringify(whole)}`)
            expect(after).toEqual(made)
          } else {
            expect(answer.status, answer.text).toBe(200)
            const resets = method === 'PUT' && scopes.includes('trade:finance')
            const expected = cost === undefined ? (resets ? null : 2) : cost
            expect(after).toMatchObject({ title: body.title ?? 'z', cost: expected, rate: 7, audit: 'open' })
            const shown = (await served.get(path)).data
            expect(answer.data).toEqual(without(version, 'deals', scopes, shown))
          }
          await served.call('DELETE', `/v2/deals/${made.id}`)
        },
      )
      await fc.assert(law, { numRuns })
    })
  },
  { declaration: trade },
)
