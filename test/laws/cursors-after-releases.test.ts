import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import * as change from '../../src/declare/change.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { version } from '../../src/declare/version.ts'
import { compareValues, inOrder } from '../support/list-order.ts'
import { type Releases, releasesOn } from '../support/releases.ts'
import type { Row } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'
import { describeStores } from '../support/stores.ts'

type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never

const nightly = process.env.NOUNKIT_NIGHTLY === '1'
const why = 'generated'

/** How a field changed: its newer name and schema (null when it was removed), and the declared changes. */
interface Way {
  readonly newer: readonly [name: string, schema: z.ZodType] | null
  readonly changes: readonly change.Change[]
}

type Ways = (resource: string) => readonly Way[]

const renamed =
  (from: string, to: string, schema: z.ZodType): Ways =>
  (name) => [
    { newer: [from, schema], changes: [] },
    { newer: [to, schema], changes: [change.renameField(name, from, to)] },
  ]

/** Of another type, under the old name and under another. */
const typed =
  (from: string, to: string, was: z.ZodType, now: z.ZodType, codec: change.CodecName): Ways =>
  (name) => [
    { newer: [from, now], changes: [change.changeType(name, from, { was, codec, why })] },
    {
      newer: [to, now],
      changes: [change.renameField(name, from, to), change.changeType(name, to, { was, codec, why })],
    },
  ]

const either =
  (...all: readonly Ways[]): Ways =>
  (name) =>
    all.flatMap((ways) => ways(name))

const older = {
  count: z.int().optional(),
  word: z.string().max(5).optional(),
  price: z.string().optional(),
  tally: z.string(),
  flag: z.int().min(0).max(1).optional(),
  moment: z.int(),
  colour: z.enum(['red', 'green', 'blue']).optional(),
}
type FieldName = keyof typeof older
const names = Object.keys(older) as FieldName[]

const newColours = z.enum(['aqua', 'blue', 'tomato']).optional()
const mapped = (name: string, field: string) =>
  change.mapValues(name, field, { red: 'tomato', green: 'aqua' }, { why })

const waysOf: { readonly [F in FieldName]: Ways } = {
  count: either(renamed('count', 'amount', older.count), (name) => [
    { newer: ['count', older.count], changes: [change.removeSort(name, 'count')] },
    { newer: ['count', older.count], changes: [change.removeFilter(name, 'count')] },
  ]),
  word: either(renamed('word', 'text', older.word), (name) => [
    {
      newer: null,
      changes: [change.removeField(name, 'word', { was: older.word }), change.removeSort(name, 'word')],
    },
  ]),
  price: either(
    renamed('price', 'cost', older.price),
    typed('price', 'cost', older.price, z.int().optional(), 'cents-as-decimal-string'),
  ),
  tally: either(
    renamed('tally', 'score', older.tally),
    typed('tally', 'score', older.tally, z.int(), 'integer-as-string'),
  ),
  flag: either(
    renamed('flag', 'mark', older.flag),
    typed('flag', 'mark', older.flag, z.boolean().optional(), 'boolean-as-integer'),
  ),
  moment: either(
    renamed('moment', 'time', older.moment),
    typed('moment', 'time', older.moment, z.iso.datetime(), 'datetime-as-unix-seconds'),
  ),
  colour: either(renamed('colour', 'shade', older.colour), (name) => [
    { newer: ['colour', newColours], changes: [mapped(name, 'colour')] },
    {
      newer: ['shade', newColours],
      changes: [change.renameField(name, 'colour', 'shade'), mapped(name, 'shade')],
    },
  ]),
}

const filtered: readonly FieldName[] = ['count', 'price', 'tally', 'flag', 'moment', 'colour']

interface Names {
  readonly things: string
  readonly boxes: string
  readonly box: string
}

const declared = (
  { things, boxes, box }: Names,
  fields: { readonly [name: string]: z.ZodType },
  lists: { readonly sort: readonly string[]; readonly filter: readonly string[] },
) => [
  resource(boxes, { fields: { label: z.string().default('') }, relations: { contents: hasMany(things) } }),
  resource(things, { fields, relations: { [box]: belongsTo(boxes) }, ...lists } as never),
]

const firstNames: Names = { things: 'things', boxes: 'boxes', box: 'box' }
const first = api('store', {
  resources: declared(firstNames, older, { sort: names, filter: filtered }),
  versions: [version('v1')],
})

const releases = fc.record({
  picks: fc.array(fc.nat(11), { minLength: names.length, maxLength: names.length }),
  things: fc.constantFrom('things', 'goods'),
  boxes: fc.constantFrom('boxes', 'crates'),
  box: fc.constantFrom('box', 'crate'),
})

/** A second version, from the changes of each field and each name. */
function secondOf({ picks, ...now }: ValueOf<typeof releases>) {
  const ways = names.map((name, index): readonly [FieldName, Way] => {
    const all = waysOf[name](now.things)
    return [name, all[(picks[index] ?? 0) % all.length] as Way]
  })
  const without = (kind: change.Change['kind'], from: readonly FieldName[]) =>
    ways
      .filter(([name, way]) => from.includes(name) && !way.changes.some((one) => one.kind === kind))
      .flatMap(([, way]) => (way.newer ? [way.newer[0]] : []))
  const changes = [
    ...(now.things === 'things' ? [] : [change.renameResource('things', now.things)]),
    ...(now.boxes === 'boxes' ? [] : [change.renameResource('boxes', now.boxes)]),
    ...(now.box === 'box' ? [] : [change.renameRelation(now.things, 'box', now.box)]),
    ...ways.flatMap(([, way]) => way.changes),
  ]
  const shown = Object.fromEntries(ways.flatMap(([, way]) => (way.newer ? [way.newer] : [])))
  const lists = { sort: without('remove-sort', names), filter: without('remove-filter', filtered) }
  return api('store', {
    resources: declared(now, { ...shown, added: z.string().default('') }, lists),
    versions: [version('v2'), version('v1', { changes })],
  })
}

/** Few values, so that ties and NULLs are the rule; texts of numbers whose order as texts is another. */
const fields = fc.record({
  count: fc.constantFrom(null, 0, 1, -1),
  word: fc.constantFrom(null, 'a', 'B', '', 'é', '𝄞'),
  price: fc.constantFrom(null, '9.50', '10.00', '-1.00', '-0.05', '0.00', '100.00'),
  tally: fc.constantFrom('9', '10', '-1', '100', '0'),
  flag: fc.constantFrom(null, 0, 1),
  moment: fc.constantFrom(0, -1, 999_999_999, 1_780_272_000, -5_000_000_000),
  colour: fc.constantFrom(null, 'red', 'green', 'blue'),
})

/** A filter, and what it means. */
const filters: readonly (readonly [query: string, keeps: (row: Row) => boolean])[] = [
  ['', () => true],
  ['&filter[colour]=red', (row) => row.colour === 'red'],
  ['&filter[colour][ne]=green', (row) => row.colour !== 'green'],
  ['&filter[colour][in]=red,null', (row) => row.colour === 'red' || row.colour === null],
  ['&filter[flag]=1', (row) => row.flag === 1],
  ['&filter[count][gte]=0', (row) => row.count !== null && Number(row.count) >= 0],
  ['&filter[moment][lt]=999999999', (row) => Number(row.moment) < 999_999_999],
  ['&filter[tally]=10', (row) => row.tally === '10'],
  ['&filter[tally][gt]=10', (row) => compareValues(row.tally, '10') > 0],
  ['&filter[price][lte]=10.00', (row) => row.price !== null && compareValues(row.price, '10.00') <= 0],
]

const sort = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.boolean()), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 2,
  })
  .map((keys) => keys.map(([name, descending]) => `${descending ? '-' : ''}${name}`).join(','))

const walks = fc.record({
  rows: fc.array(fields, { minLength: 2, maxLength: 10 }),
  sort,
  limit: fc.integer({ min: 1, max: 3 }),
  before: fc.integer({ min: 1, max: 3 }),
  filter: fc.constantFrom(...filters),
  nested: fc.boolean(),
})
type Walk = ValueOf<typeof walks>

/** A walk through the list of an account of its own. */
class Walker {
  readonly #walk: Walk
  readonly #as = unique()
  readonly #met: Row[] = []
  #made: readonly Row[] = []
  #path = ''
  #cursor: string | null | undefined

  constructor(walk: Walk) {
    this.#walk = walk
  }

  async fill({ serving }: Releases): Promise<void> {
    const as = this.#as
    const box = await serving.make('/v1/boxes', {}, { as })
    const rows = this.#walk.rows.map((row) => ({ ...row, box_id: box.id }))
    this.#made = await Promise.all(rows.map((row) => serving.make('/v1/things', row, { as })))
    this.#path = this.#walk.nested ? `/v1/boxes/${box.id}/contents` : '/v1/things'
  }

  /** Reads so many pages, or all that are left. */
  async go({ serving }: Releases, pages: number): Promise<void> {
    const { sort: by, limit, filter } = this.#walk
    for (let page = 0; page < pages && this.#cursor !== null; page++) {
      const cursor = this.#cursor ? `&cursor=${this.#cursor}` : ''
      const path = `${this.#path}?sort=${by}&limit=${limit}${filter[0]}${cursor}`
      const answer = await serving.get(path, { as: this.#as })
      expect(answer.status, `${path}: ${answer.text}`).toBe(200)
      this.#met.push(...answer.rows)
      this.#cursor = answer.page.next_cursor
    }
  }

  check(): void {
    const [query, keeps] = this.#walk.filter
    const expected = this.#made.filter(keeps).sort(inOrder(this.#walk.sort))
    expect(this.#met, `${this.#walk.sort} ${query}`).toEqual(expected)
  }
}

describeStores('a walk by cursors that a release falls into', (store) => {
  const runs = { sqlite: nightly ? 150 : 5, postgres: nightly ? 40 : 2 }[store.kind]

  test(
    'meets every row exactly once and in the order of its own version',
    async () => {
      const cases = fc.tuple(releases, fc.array(walks, { minLength: 6, maxLength: 10 }))
      const law = fc.asyncProperty(cases, async ([release, all]) => {
        const served = await releasesOn(store, first)
        const walkers = all.map((walk) => new Walker(walk))
        await Promise.all(walkers.map((walker) => walker.fill(served)))
        await Promise.all(walkers.map((walker, at) => walker.go(served, all[at]?.before ?? 1)))
        await served.next(secondOf(release))
        await Promise.all(walkers.map((walker) => walker.go(served, 100)))
        for (const walker of walkers) walker.check()
        await served.serving.api.close()
      })
      // A case takes a second: to look for a smaller one would take hours.
      await fc.assert(law, { numRuns: runs, endOnFailure: true })
    },
    nightly ? 3_600_000 : 120_000,
  )
})
