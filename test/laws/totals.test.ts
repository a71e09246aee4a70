import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  api,
  belongsTo,
  changeType,
  decimal,
  mapValues,
  renameField,
  resource,
  version,
} from '../../src/index.ts'
import { describeServing, type Row, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const heaps = resource('heaps', {
  fields: { open: z.boolean() },
  rules: { read: ({ row, caller }) => row.open.is(caller.claim('open')) },
})
const stones = resource('stones', {
  fields: {
    kind: z.enum(['flint', 'slate', 'chalk']).optional(),
    weight: z.int().optional(),
    worth: z.int(),
    price: decimal({ scale: 2 }).optional(),
    found: z.iso.datetime(),
    mark: z.string().max(20),
  },
  relations: { heap: belongsTo(heaps, { optional: true }) },
  filter: ['kind', 'weight', 'worth', 'heap.open'],
  rules: { read: ({ row, caller }) => row.mark.isNot(caller.claim('hidden')) },
})
const totals = resource('stone-totals', {
  totals: {
    of: 'stones',
    by: ['kind', 'heap_id', 'found', 'mark', 'weight'],
    sums: ['worth', 'price'],
  },
})
const declaration = api('quarry', {
  resources: [heaps, stones, totals],
  versions: [
    version('v2', { published: '2026-02-01' }),
    version('v1', {
      published: '2026-01-01',
      changes: [
        renameField('stones', 'sort_of', 'kind', { why: 'Words.' }),
        mapValues('stones', 'kind', { hard: 'flint' }, { onlyInNewer: { chalk: 'slate' }, why: 'Words.' }),
        changeType('stones', 'worth', { codec: 'cents-as-decimal-string', was: z.string(), why: 'Numbers.' }),
        changeType('stones', 'found', { codec: 'datetime-as-unix-seconds', was: z.int(), why: 'Times.' }),
        changeType('stones', 'weight', {
          codec: 'integer-as-string',
          was: z.string().optional(),
          why: 'Numbers.',
        }),
      ],
    }),
  ],
})

const stone = fc.record({
  kind: fc.constantFrom(null, 'flint', 'slate', 'chalk'),
  weight: fc.constantFrom(null, 2, 10, -3),
  worth: fc.constantFrom(0, 5, -7, 12_345, 2 ** 40),
  price: fc.constantFrom(null, '0.10', '-3.25', '99999999.99'),
  found: fc.constantFrom('2026-01-01T00:00:00.100Z', '2026-01-01T00:00:00.200Z', '2026-01-02T00:00:00.000Z'),
  mark: fc.constantFrom('a', 'B', 'é"\\', 'hidden'),
  heap: fc.constantFrom(null, 0, 1),
})

/** Fields to group by, as each version calls them. */
const fields = ['kind', 'heap_id', 'found', 'mark', 'weight'] as const
const cases = fc.record({
  rows: fc.array(stone, { maxLength: 16 }),
  by: fc.subarray([...fields]).chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
  filter: fc.constantFrom(
    '',
    'filter[weight]=10',
    'filter[heap.open]=true',
    'filter[weight][ne]=2',
    'filter[or][0][weight]=2&filter[or][1][weight]=null',
  ),
  sort: fc.constantFrom('', 'count', '-count'),
  limit: fc.integer({ min: 1, max: 8 }),
  in: fc.constantFrom('v1', 'v2'),
})
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never

const inVersion = (name: string, of: string): string => (of === 'v1' && name === 'kind' ? 'sort_of' : name)

/** What a list shows, grouped and added up. */
function grouped(rows: readonly Row[], by: readonly string[]): readonly object[] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(by.map((name) => row[name])))
  if (by.length === 0 && groups.size === 0) groups.set('', [])
  return [...groups.values()].map((all) => {
    const added = (name: string): bigint =>
      all.reduce((sum, row) => sum + BigInt(String(row[name] ?? 0).replace('.', '')), 0n)
    return {
      ...Object.fromEntries(by.map((name) => [name, all[0]?.[name]])),
      count: all.length,
      worth: added('worth'),
      price: added('price'),
    }
  })
}

async function walk(served: Serving, path: string, as: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  let next: string | null = ''
  while (next !== null) {
    const answer = await served.get(`${path}${next}`, { as })
    expect(answer.status, `${path}: ${answer.text}`).toBe(200)
    rows.push(...answer.rows)
    next = answer.page.next_cursor && `&cursor=${answer.page.next_cursor}`
  }
  return rows
}

async function check(served: Serving, { rows, by, filter, sort, limit, in: of }: Case) {
  const account = unique()
  const key = (name: string, claims: object) =>
    served.api.key(account, { name: `${account} ${name}`, scopes: ['*'], claims: { ...claims } })
  const reader = await key('reader', { open: true, hidden: 'hidden' })
  const open = await key('open', { open: true, hidden: '' })
  const closed = await key('closed', { open: false, hidden: '' })
  const heapIds = [
    (await served.make('/v2/heaps', { open: true }, { as: open })).id,
    (await served.make('/v2/heaps', { open: false }, { as: closed })).id,
  ]
  for (const { heap, ...row } of rows)
    await served.make(
      '/v2/stones',
      { ...row, heap_id: heap === null ? null : heapIds[heap] },
      { as: heap === 1 ? closed : open },
    )
  const names = by.map((name) => inVersion(name, of))
  const listed = await walk(served, `/${of}/stones?${filter}${filter && '&'}limit=100`, reader)
  const asked = [
    names.length > 0 ? `by=${names.join()}` : '',
    filter,
    sort && `sort=${sort}`,
    `limit=${limit}`,
  ]
  const found = await walk(served, `/${of}/stone-totals?${asked.filter((part) => part).join('&')}`, reader)
  const units = found.map((row) => ({
    ...row,
    worth: BigInt(String(row.worth).replace('.', '')),
    price: BigInt(String(row.price).replace('.', '')),
  }))
  const inOrder = (all: readonly object[]) => all.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  expect(inOrder(units)).toEqual(inOrder(grouped(listed, names)))
  for (const row of found) expect(Object.keys(row)).toEqual([...names, 'count', 'worth', 'price'])
  if (sort !== '') {
    const counts = found.map((row) => Number(row.count))
    expect(counts).toEqual(counts.toSorted((a, b) => (sort === 'count' ? a - b : b - a)))
  }
}

const textOf = (row: object): string =>
  JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))

describeServing(
  'totals',
  (served) => {
    test('are what grouping the rows of a whole list gives, in every version', async () => {
      const numRuns = process.env.NOUNKIT_NIGHTLY ? 300 : served.kind === 'sqlite' ? 40 : 20
      await fc.assert(
        fc.asyncProperty(cases, (one) => check(served, one)),
        { numRuns },
      )
    })
  },
  { declaration },
)
