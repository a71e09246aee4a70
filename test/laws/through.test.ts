import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { anyOf, api, belongsTo, hasMany, resource } from '../../src/index.ts'
import { describeServing, type Row, type RowList, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const cap = 2
const colours = ['red', 'grey'] as const
const tags = resource('tags', {
  fields: { weight: z.int().optional(), colour: z.enum(colours) },
  filter: ['weight', 'colour'],
  sort: ['weight'],
  count: true,
  rules: {
    read: ({ row, caller }) => anyOf(row.colour.is(caller.claim('tags')), caller.has('all')),
    create: () => true,
  },
})
const notes = resource('notes', {
  fields: {},
  relations: { tags: hasMany(tags, { through: 'taggings', cap }) },
  include: ['tags'],
})
const taggings = resource('taggings', {
  fields: { colour: z.enum(colours) },
  relations: { note: belongsTo(notes), tag: belongsTo(tags, { optional: true }) },
  rules: {
    read: ({ row, caller }) => anyOf(row.colour.is(caller.claim('links')), caller.has('all')),
    create: () => true,
  },
})
const declaration = api('notes', { resources: [tags, notes, taggings], scopes: { all: 'See everything.' } })

const colour = fc.constantFrom(...colours)
const cases = fc.record({
  tags: fc.array(fc.record({ weight: fc.constantFrom(null, 0, 1, 2), colour }), { maxLength: 5 }),
  links: fc.array(fc.record({ note: fc.nat(1), tag: fc.option(fc.nat(4)), colour }), { maxLength: 14 }),
  sees: fc.record({ tags: colour, links: colour, all: fc.boolean() }),
  filter: fc.constantFrom('', 'filter[weight]=1', 'filter[weight][ne]=1', 'filter[colour]=red'),
  sort: fc.constantFrom('', 'sort=weight', 'sort=-weight'),
  limit: fc.integer({ min: 1, max: 4 }),
})
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never

const meets: { readonly [filter: string]: (row: Case['tags'][number]) => boolean } = {
  '': () => true,
  'filter[weight]=1': ({ weight }) => weight === 1,
  'filter[weight][ne]=1': ({ weight }) => weight !== 1,
  'filter[colour]=red': ({ colour: one }) => one === 'red',
}

async function check(served: Serving, { tags: all, links, sees, filter, sort, limit }: Case): Promise<void> {
  const account = unique()
  const writer = await served.api.key(account, { name: `${account} writes`, scopes: ['*', 'all'] })
  const scopes = ['notes:read', 'tags:read', 'taggings:read', ...(sees.all ? ['all'] : [])]
  const claims = { tags: sees.tags, links: sees.links }
  const as = await served.api.key(account, { name: account, scopes, claims })
  const make = (path: string, body: object) => served.make(`/v1/${path}`, body, { as: writer })
  const made: Row[] = []
  for (const tag of all) made.push(await make('tags', tag))
  const owners = [await make('notes', {}), await make('notes', {})]
  for (const { note, tag, colour: of } of links) {
    const tag_id = tag === null ? null : (made[tag]?.id ?? null)
    await make('taggings', { note_id: owners[note]?.id, tag_id, colour: of })
  }
  for (const [at, owner] of owners.entries()) {
    const linked = all.flatMap((tag, index) =>
      links.some(
        (link) => link.note === at && link.tag === index && (sees.all || link.colour === sees.links),
      ) &&
      (sees.all || tag.colour === sees.tags)
        ? [{ ...tag, id: made[index]?.id ?? '' }]
        : [],
    )
    const found = linked.filter((tag) => meets[filter]?.(tag))
    const direction = sort.includes('-') ? -1 : 1
    const key = ({ weight }: { readonly weight: number | null }) => (sort === '' ? 0 : (weight ?? -1))
    const sorted = found.toSorted(
      (a, b) => direction * (key(a) - key(b)) || direction * (a.id < b.id ? -1 : 1),
    )
    const path = `/v1/notes/${owner.id}/tags?${[filter, sort, `limit=${limit}&count=true`].filter(Boolean).join('&')}`
    const walked: string[] = []
    for (let next: string | null = path; next !== null; ) {
      const answer = await served.get(next, { as })
      expect(answer.status, answer.text).toBe(200)
      expect(answer.page.total).toBe(found.length)
      walked.push(...answer.rows.map(({ id }) => id))
      next = answer.page.next_cursor && `${path}&cursor=${answer.page.next_cursor}`
    }
    expect(walked).toEqual(sorted.map(({ id }) => id))
    const included = (await served.get(`/v1/notes/${owner.id}?include=tags`, { as })).data.tags as RowList
    expect(included.data.map(({ id }) => id)).toEqual(linked.slice(0, cap).map(({ id }) => id))
    expect(included.page.has_more).toBe(linked.length > cap)
    if (included.page.next) {
      const rest = await served.get(included.page.next, { as })
      expect(rest.rows.map(({ id }) => id)).toEqual(linked.slice(cap, 2 * cap).map(({ id }) => id))
    }
  }
}

describeServing(
  'random links',
  (served) => {
    test('lead to the rows that a naive model finds, once each', async () => {
      const few = served.kind === 'sqlite' ? 30 : 10
      const numRuns = process.env.NOUNKIT_NIGHTLY === '1' ? 20 * few : few
      await fc.assert(
        fc.asyncProperty(cases, (one) => check(served, one)),
        { numRuns },
      )
    })
  },
  { declaration },
)
