import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Call } from '../../src/call/call.ts'
import type { ListQuery, SortPosition } from '../../src/call/query.ts'
import type { ViewField } from '../../src/compile/model.ts'
import {
  anyOf,
  api,
  belongsTo,
  changeType,
  hasMany,
  mapValues,
  needsScope,
  renameField,
  resource,
  version,
} from '../../src/index.ts'
import { Planner } from '../../src/plan/planner.ts'
import { readListQuery, readOneQuery } from '../../src/request/read-query.ts'
import { describeServing, type Row, type Serving } from '../support/serving.ts'
import { toldAll } from '../support/told-all.ts'

const account = 'acme'

const places = resource('places', {
  fields: { name: z.string().max(50), open: z.boolean() },
  relations: { birds: hasMany('birds') },
  include: ['birds'],
  rules: { read: ({ row, caller }) => anyOf(row.open.is(true), caller.has('closed')), create: () => true },
})
const birds = resource('birds', {
  fields: {
    name: z.string().max(20_000),
    rings: z.int().optional(),
    kind: z.enum(['owl', 'jay', 'kite']).optional(),
    seen: z.iso.datetime(),
    note: needsScope('notes', z.string().max(4_000).optional()),
  },
  relations: { place: belongsTo('places', { optional: true }) },
  filter: ['name', 'rings', 'kind', 'seen', 'place_id', 'place.open'],
  sort: ['name', 'rings', 'seen'],
  search: ['name'],
  count: true,
  include: ['place'],
  rules: {
    read: ({ row, caller }) => anyOf(row.name.isNot(caller.claim('hides')), caller.has('all')),
    create: () => true,
    update: ({ row, caller }) => anyOf(row.rings.is(1), caller.has('notes')),
  },
})
const totals = resource('bird-totals', { totals: { of: 'birds', by: ['kind', 'place_id'], sums: ['rings'] } })
const declaration = api('aviary', {
  scopes: { closed: 'See closed places.', notes: 'See notes.', all: 'See everything.' },
  resources: [places, birds, totals],
  versions: [
    version('v2', { published: '2026-02-01' }),
    version('v1', {
      published: '2026-01-01',
      changes: [
        renameField('birds', 'title', 'name', { why: 'Words.' }),
        mapValues('birds', 'kind', { night: 'owl' }, { onlyInNewer: { kite: 'jay' }, why: 'Words.' }),
        changeType('birds', 'seen', { codec: 'datetime-as-unix-seconds', was: z.int(), why: 'Times.' }),
      ],
    }),
  ],
})

/** The inputs of a read. Each changes the statement, its values, or neither. */
const inputs = {
  in: fc.constantFrom('v1', 'v2'),
  at: fc.constantFrom('birds', 'birds/one', 'below', 'below/one', 'bird-totals', 'places/one'),
  scopes: fc.subarray(['closed', 'notes', 'all', '*']),
  claims: fc.constantFrom({}, { hides: 'ada' }),
  include: fc.constantFrom('', 'place', 'birds'),
  limit: fc.constantFrom('', '1', '2', '3', '100'),
  sort: fc.constantFrom('', 'name', '-name', 'rings', '-rings,name', 'seen', 'id', '-id'),
  by: fc.constantFrom('', 'kind', 'place_id', 'kind,place_id'),
  count: fc.boolean(),
  search: fc.constantFrom('', 'ada', 'bo', 'ada bo'),
  name: fc.constantFrom('', '=ada', '[in]=ada', '[in]=ada,bo', '[gt]=b'),
  rings: fc.constantFrom('=1', '=null', '[in]=1', '[in]=1,null', '[in]=1,2', '[ne]=1'),
  kind: fc.constantFrom('', '=jay', '[in]=jay', '[ne]=jay'),
  open: fc.constantFrom('', '=true', '[ne]=true'),
  either: fc.constantFrom('', '0][rings]=1', '0][rings]=null', '0][rings][gt]=1', '0][kind]=jay'),
  other: fc.constantFrom('', '1][rings]=2', '1][kind][ne]=jay'),
  after: fc.constantFrom(null, 'value', 'null'),
}
type Ask = {
  readonly [K in keyof typeof inputs]: (typeof inputs)[K] extends fc.Arbitrary<infer T> ? T : never
}
const ask = fc.record(inputs) as fc.Arbitrary<Ask>

/** Two reads that differ in one input, often in the filter that has most forms. */
const names = Object.keys(inputs) as (keyof Ask)[]
const differing = fc.oneof(fc.constantFrom(...names), fc.constant<keyof Ask>('rings'))
const pair = fc
  .tuple(ask, ask, differing)
  .map(([one, other, name]): readonly [Ask, Ask] => [one, { ...one, [name]: other[name] }])

function queryOf(ask: Ask, isList: boolean): string {
  const [name, isTotals] = [ask.in === 'v1' ? 'title' : 'name', ask.at === 'bird-totals']
  const named = (text: string) => text.replaceAll('name', name)
  const parts: [string, string][] = [['include=', isTotals ? '' : ask.include]]
  if (isList)
    parts.push(
      ['limit=', ask.limit],
      ['sort=', isTotals ? '' : named(ask.sort)],
      ['by=', isTotals ? ask.by : ''],
      ['count=', ask.count && !isTotals ? 'true' : ''],
      ['search=', isTotals ? '' : ask.search],
      [`filter[${name}]`, ask.name],
      ['filter[rings]', ask.rings],
      ['filter[kind]', ask.kind],
      ['filter[place.open]', ask.open],
      ['filter[or][', ask.either],
      ['filter[or][', ask.either && ask.other],
    )
  return parts.flatMap(([word, value]) => (value === '' ? [] : [word + value])).join('&')
}

const samples = { string: 'ada', integer: 1, id: 'bir_1', datetime: '2026-01-01T00:00:00.000Z' }
const keyOf = ({ field, kind, nullable }: ViewField, after: Ask['after']): SortPosition[number] =>
  after === 'null' && nullable ? null : (samples[(field?.kind ?? kind) as keyof typeof samples] ?? 'owl')

const positionOf = ({ sort }: ListQuery, { after }: Ask): SortPosition | null =>
  after === null || sort.length === 0 ? null : sort.map(({ field }) => keyOf(field, after))

interface Planned {
  readonly text: string
  readonly bound: readonly unknown[]
}

/** What a planner sends for a read; the problem where the query is refused. */
function planned(
  planner: Planner,
  served: Serving,
  ask: Ask,
  [bird, place]: readonly string[],
): Planned | string {
  const path = ask.at.replace('below', `places/${place}/birds`).replace('one', bird ?? '')
  const { router } = served.api.service.engine
  const target = router.find(`/${ask.in}/${path}`)
  if (!target) throw new Error(`nothing is at ${path}`)
  const consumer = { id: 'k', name: 'k', kind: 'external' } as const
  const caller = { account, consumer, scopes: new Set(ask.scopes), subject: null, claims: ask.claims }
  const call: Call = { caller, target }
  const query = queryOf(ask, target.id === null)
  try {
    if (target.id !== null) {
      const { include } = readOneQuery(query, target.view, 1e9, toldAll)
      const statement = planner.one(target, include, caller.scopes)
      return { text: statement.text, bound: statement.bind({ call, at: 0 }) }
    }
    const { list } = readListQuery(query, target.view, 1e9, toldAll)
    const after = positionOf(list, ask)
    const statement = planner.list(target, list, after, caller.scopes)
    return { text: statement.text, bound: statement.bind({ call, at: 0, list, after }) }
  } catch (error) {
    if (error instanceof Error && error.name === 'Problem') return error.message
    throw error
  }
}

const numRuns = process.env.NOUNKIT_NIGHTLY ? 20_000 : 500

describeServing(
  'one cache of statements for all reads',
  (served) => {
    test('gives each read the statement, the values and the answer that it would have alone', async () => {
      const { store } = served
      const as = await served.api.key(account, { scopes: ['*', 'notes', 'all', 'closed'] })
      const made: Row[] = []
      for (const open of [true, false])
        made.push(await served.make('/v2/places', { name: 'Wood', open }, { as }))
      const kinds = ['owl', 'jay', 'kite', null]
      for (const [at, name] of ['ada', 'bo', 'ada bo', 'cid'].entries())
        made.push(
          await served.make(
            '/v2/birds',
            {
              name,
              rings: at === 3 ? null : at,
              kind: kinds[at],
              seen: `2026-01-0${at + 1}T00:00:00.000Z`,
              place_id: at === 0 ? null : made[at % 2]?.id,
            },
            { as },
          ),
        )
      const ids = [made[4]?.id ?? '', made[0]?.id ?? '']
      const warm = new Planner(store.dialect)
      let refused = 0
      await fc.assert(
        fc.asyncProperty(pair, async (asks) => {
          for (const ask of asks) {
            const shared = planned(warm, served, ask, ids)
            const alone = planned(new Planner(store.dialect), served, ask, ids)
            expect(shared).toEqual(alone)
            if (typeof shared === 'string' || typeof alone === 'string') refused++
            else if (asks[0].limit === '2')
              expect(await store.first(shared.text, shared.bound as never, account)).toEqual(
                await store.first(alone.text, alone.bound as never, account),
              )
          }
        }),
        { numRuns },
      )
      expect(refused).toBeLessThan(numRuns)
    })
  },
  { declaration },
)
