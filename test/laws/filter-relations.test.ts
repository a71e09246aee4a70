import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { anyOf, api, belongsTo, resource } from '../../src/index.ts'
import { describeServing, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const fields = {
  number: z.int().optional(),
  word: z.string(),
  open: z.boolean(),
  owner: z.string(),
}
const trees = resource('trees', {
  fields,
  rules: { read: ({ row, caller }) => anyOf(row.open.is(true), row.owner.is(caller.claim('name'))) },
})
const twigs = resource('twigs', {
  fields,
  relations: { tree: belongsTo(trees, { optional: true }) },
  filter: ['tree.number', 'tree.word'],
  rules: { read: ({ row, caller }) => anyOf(row.open.is(true), row.owner.is(caller.claim('name'))) },
})
const leaves = resource('leaves', {
  fields: { name: z.string() },
  relations: { twig: belongsTo(twigs, { optional: true }), root: belongsTo(trees) },
  filter: ['twig.number', 'twig.word', 'twig.tree.number', 'twig.tree.word', 'root.number', 'root.word'],
  sort: ['name'],
  count: true,
})
const declaration = api('wood', { resources: [trees, twigs, leaves] })

const me = 'me'

interface Row {
  readonly number: number | null
  readonly word: string
  readonly open: boolean
  readonly owner: string
  /** The index of the tree that a twig is of. */
  readonly tree?: number | null
}
const row = {
  number: fc.constantFrom(null, 0, 1, 2),
  word: fc.constantFrom('a', 'b', 'B', 'é'),
  open: fc.boolean(),
  owner: fc.constantFrom(me, 'you'),
}
const tree = fc.record(row)
const twig = fc.record({ ...row, tree: fc.constantFrom(null, 0, 1, 2) })
const leaf = fc.record({ twig: fc.constantFrom(null, 0, 1, 2, 3), root: fc.nat(2) })

/** What a path leads to: its value, `null` where it is unset, `undefined` where the caller may not read the way. */
type Value = number | string | null | undefined

const operations: readonly (readonly [query: string, meets: (value: Value) => boolean])[] = [
  ['number]=1', (value) => value === 1],
  ['number]=null', (value) => value === null],
  ['number][ne]=1', (value) => value !== undefined && value !== 1],
  ['number][in]=0,null', (value) => value === 0 || value === null],
  ['number][in]=0,2', (value) => value === 0 || value === 2],
  ['number][gt]=0', (value) => typeof value === 'number' && value > 0],
  ['number][lte]=1', (value) => typeof value === 'number' && value <= 1],
  ['word]=b', (value) => value === 'b'],
  ['word][ne]=b', (value) => value !== undefined && value !== 'b'],
  ['word][in]=a,é', (value) => value === 'a' || value === 'é'],
  ['word][gte]=a', (value) => typeof value === 'string' && value >= 'a'],
  ['word][lt]=b', (value) => typeof value === 'string' && value < 'b'],
]

const conditions = fc.record({
  path: fc.constantFrom('twig', 'twig.tree', 'root'),
  operation: fc.constantFrom(...operations),
})
const together = fc.uniqueArray(conditions, {
  maxLength: 2,
  selector: ({ path, operation }) => path + operation[0].split('=')[0],
})
const alternatives = fc.array(
  together.filter(({ length }) => length > 0),
  { maxLength: 3 },
)
type Conditions = typeof together extends fc.Arbitrary<infer T> ? T : never

const cases = fc.record({
  trees: fc.tuple(tree, tree, tree),
  twigs: fc.tuple(twig, twig, twig, twig),
  leaves: fc.array(leaf, { minLength: 1, maxLength: 10 }),
  queries: fc.array(fc.record({ filters: together, either: alternatives }), { minLength: 6, maxLength: 6 }),
  sort: fc.constantFrom('', 'sort=-name&', 'sort=name&'),
})
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never

const mayRead = ({ open, owner }: Row): boolean => open || owner === me

const field = (query: string): 'number' | 'word' => (query.startsWith('number') ? 'number' : 'word')

function valueAt(
  { trees, twigs }: Case,
  one: Case['leaves'][number],
  path: string,
  name: 'number' | 'word',
): Value {
  if (path === 'root') return shownOf(trees[one.root], name)
  if (one.twig === null) return null
  const twig = twigs[one.twig]
  if (!twig || !mayRead(twig)) return undefined
  if (path === 'twig') return twig[name]
  return twig.tree === null ? null : shownOf(trees[twig.tree], name)
}
const shownOf = (row: Row | undefined, name: 'number' | 'word'): Value =>
  row && mayRead(row) ? row[name] : undefined

async function check(served: Serving, one: Case) {
  const account = unique()
  const key = (name: string) =>
    served.api.key(account, { name: `${account} ${name}`, scopes: ['*'], claims: { name } })
  const [mine, yours] = [await key(me), await key('you')]
  const make = async (path: string, { owner, ...rest }: Omit<Row, 'tree'>, more = {}) => {
    // A row is created by someone who may read it.
    const as = owner === me ? mine : yours
    return (await served.make(path, { ...rest, owner, ...more }, { as })).id
  }
  const treeIds: string[] = []
  for (const row of one.trees) treeIds.push(await make('/v1/trees', { ...row, open: true }))
  const twigIds: string[] = []
  for (const { tree, ...row } of one.twigs)
    twigIds.push(
      await make('/v1/twigs', { ...row, open: true }, { tree_id: tree === null ? null : treeIds[tree] }),
    )
  for (const [index, { twig, root }] of one.leaves.entries())
    await served.make(
      '/v1/leaves',
      {
        name: String.fromCharCode(97 + index),
        twig_id: twig === null ? null : twigIds[twig],
        root_id: treeIds[root],
      },
      { as: mine },
    )
  // Only now are rows hidden, so that all could be referred to.
  const hide = async (path: string, rows: readonly Row[], ids: readonly string[]) => {
    for (const [index, { open, owner }] of rows.entries())
      if (!open)
        await served.call('PATCH', `${path}/${ids[index]}`, {
          body: { open },
          as: owner === me ? mine : yours,
        })
  }
  await hide('/v1/trees', one.trees, treeIds)
  await hide('/v1/twigs', one.twigs, twigIds)
  for (const { filters, either } of one.queries) {
    const names = one.leaves.flatMap((leaf, index) => {
      const all = (conditions: Conditions) =>
        conditions.every(({ path, operation: [query, meets] }) =>
          meets(valueAt(one, leaf, path, field(query))),
        )
      const isFound = all(filters) && (either.length === 0 || either.some(all))
      return isFound ? [String.fromCharCode(97 + index)] : []
    })
    const sent = (conditions: Conditions, word: string) =>
      conditions.map(({ path, operation }) => `${word}[${path}.${operation[0]}&`).join('')
    const query = sent(filters, 'filter') + either.map((some, at) => sent(some, `filter[or][${at}]`)).join('')
    const expected = one.sort.includes('-') ? names.toReversed() : names
    const found: string[] = []
    let cursor: string | null = null
    do {
      const path = `/v1/leaves?${one.sort}${query}limit=4&count=true${cursor ? `&cursor=${cursor}` : ''}`
      const answer = await served.get(path, { as: mine })
      expect(answer.status, answer.text).toBe(200)
      expect(answer.page.total, query).toBe(expected.length)
      found.push(...answer.rows.map((row) => String(row.name)))
      cursor = answer.page.next_cursor
    } while (cursor !== null)
    expect(found, query).toEqual(expected)
  }
}

describeServing(
  'filters through relations',
  (served) => {
    test('find what a naive model finds, alone and as alternatives, whatever is unset or may not be read on the way', async () => {
      await fc.assert(
        fc.asyncProperty(cases, (one) => check(served, one)),
        { numRuns: served.kind === 'sqlite' ? 30 : 12 },
      )
    })
  },
  { declaration },
)
