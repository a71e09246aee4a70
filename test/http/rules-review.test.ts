import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allOf, anyOf, api, belongsTo, decimal, not, resource, writeOnly } from '../../src/index.ts'
import { describeServing, type Row } from '../support/serving.ts'

/** A caller sees the people of its own team. */
const people = resource('people', {
  fields: { name: z.string(), email: z.string().optional(), team: z.string().optional() },
  unique: ['email'],
  rules: {
    read: ({ row, caller }) => anyOf(caller.has('people:all'), row.team.is(caller.claim('team'))),
  },
  hooks: {
    beforeCreate: (row, { caller }) =>
      row.name === 'mine' ? { team: String(caller.claims.team ?? '') } : undefined,
    beforeUpdate: (row) => (row.name === 'theirs' ? { team: 'theirs' } : undefined),
  },
})
const notes = resource('notes', {
  fields: { text: z.string(), label: z.string() },
  relations: { person: belongsTo(people) },
  rules: { read: ({ row, caller }) => not(caller.claim('blocked').includes(row.label)) },
})
/** Everybody sees a door without a code. */
const doors = resource('doors', {
  fields: { name: z.string(), code: writeOnly(z.string().optional()) },
  rules: { read: ({ row, caller }) => anyOf(caller.has('people:all'), row.code.isNull()) },
})
/** Everybody sees what is in a box that is not sealed. */
const boxes = resource('boxes', { fields: { seal: z.string().optional() } })
const things = resource('things', {
  fields: { name: z.string() },
  relations: { box: belongsTo(boxes, { onTargetDelete: 'cascade', optional: true }) },
  rules: { read: ({ row, caller }) => anyOf(caller.has('people:all'), row.box.seal.isNull()) },
})
const offers = resource('offers', {
  fields: { name: z.string(), price: decimal({ scale: 2 }), count: z.int() },
  rules: { read: ({ row }) => allOf(row.price.gt('1.00'), row.count.gt(1)) },
})

const declaration = api('review', {
  resources: [people, notes, doors, boxes, things, offers],
  scopes: { 'people:all': 'See all people.' },
  events: { keepDays: 3 },
})
const scopes = ['people', 'notes', 'doors', 'things', 'offers'].flatMap((name) => [
  `${name}:read`,
  `${name}:write`,
])

describeServing(
  'no side door',
  (served) => {
    let keys = 0
    const keyWith = (claims: object) =>
      served.api.key('acme', {
        name: `review ${served.kind} ${++keys}`,
        scopes: [...scopes, 'events:read'],
        claims: { ...claims },
      })
    let red: string
    let own: Row

    beforeAll(async () => {
      red = await keyWith({ team: 'red' })
      await served.make('/v1/people', { name: 'hidden', email: 'taken@x', team: 'blue' })
      own = await served.make('/v1/people', { name: 'own', team: 'red' })
    })

    describe('a unique value that is taken', () => {
      const tried = async (method: string, path: string, body: object) =>
        (await served.call(method, path, { body, as: red })).refusal

      test('is not told to who may not make the row', async () => {
        const create = (email: string) => tried('POST', '/v1/people', { name: 'n', email, team: 'blue' })
        expect(await create('free@x')).toEqual([403, 'not-permitted'])
        expect(await create('taken@x')).toEqual([403, 'not-permitted'])
      })

      test('is not told to who may not change the row to that', async () => {
        const change = (body: object) => tried('PATCH', `/v1/people/${own.id}`, body)
        expect(await change({ email: 'free@x', team: 'blue' })).toEqual([403, 'not-permitted'])
        expect(await change({ email: 'taken@x', team: 'blue' })).toEqual([403, 'not-permitted'])
        expect(await change({ email: 'taken@x', name: 'theirs' })).toEqual([403, 'not-permitted'])
      })

      test('is told to who may, by the row as hooks make it', async () => {
        const taken = [409, 'unique-conflict']
        expect(await tried('POST', '/v1/people', { name: 'n', email: 'taken@x', team: 'red' })).toEqual(taken)
        expect(await tried('POST', '/v1/people', { name: 'mine', email: 'taken@x' })).toEqual(taken)
        expect(await tried('PATCH', `/v1/people/${own.id}`, { email: 'taken@x' })).toEqual(taken)
      })
    })

    describe('a list with an element of another type', () => {
      const seenBy = async (blocked: unknown) =>
        (await served.get('/v1/notes', { as: await keyWith({ blocked }) })).rows.map((row) => row.label)

      beforeAll(async () => {
        // A key with every scope has no claim, so the rule would refuse its rows.
        const as = await keyWith({ team: 'red', blocked: [] })
        for (const label of ['7', '8'])
          await served.make('/v1/notes', { text: 't', label, person_id: own.id }, { as })
      })

      test('opens nothing under not', async () => {
        expect(await seenBy(['7'])).toEqual(['8'])
        for (const odd of [7, null, {}, ['7'], '7\0', true]) {
          expect(await seenBy([odd])).toEqual([])
          expect(await seenBy(['8', odd])).toEqual([])
        }
      })
    })

    test('an event keeps no value that is never shown, so a rule on it opens no event', async () => {
      await served.make('/v1/doors', { name: 'locked', code: '1234' })
      const rows = (await served.get('/v1/doors', { as: red })).rows.map(({ name }) => name)
      expect(rows).toEqual([])
      const events = await served.get('/v1/events?limit=100', { as: red })
      expect(events.text).not.toContain('locked')
      const all = await served.get('/v1/events?limit=100')
      expect(all.text).toContain('locked')
    })

    test('a rule that asks a related row for null opens no event where that row is gone', async () => {
      const sealed = await served.make('/v1/boxes', { seal: 'wax' })
      await served.make('/v1/things', { name: 'sealed in', box_id: sealed.id })
      const open = await served.make('/v1/boxes', {})
      await served.make('/v1/things', { name: 'lies open', box_id: open.id })
      await served.make('/v1/things', { name: 'in no box' })
      const told = async () => (await served.get('/v1/events?limit=100', { as: red })).text
      const before = await told()
      expect((await served.call('DELETE', `/v1/boxes/${sealed.id}`)).status).toBe(204)
      for (const text of [before, await told()]) {
        expect(text).toContain('lies open')
        expect(text).toContain('in no box')
        expect(text).not.toContain('sealed in')
      }
    })

    test('an event of an earlier release, with values of another type, is no error and opens nothing', async () => {
      for (const name of ['fits', 'finer', 'text'])
        await served.make('/v1/offers', { name, price: '2.50', count: 2 })
      const told = async () => {
        const answer = await served.get('/v1/events?limit=100', { as: red })
        expect(answer.status, answer.text).toBe(200)
        return answer.rows.flatMap(({ type, data }) =>
          type === 'offers.created' ? [(data as Row).name] : [],
        )
      }
      expect(await told()).toEqual(['fits', 'finer', 'text'])
      const write = (from: string, to: string, name: string) =>
        served.store.writeOne(
          `UPDATE "nounkit_events" SET "data" = replace("data", '${from}', '${to}') WHERE "data" LIKE '%"${name}"%'`,
          [],
        )
      await write('"2.50"', '"2.555"', 'finer')
      await write('"count":2', '"count":"two"', 'text')
      expect(await told()).toEqual(['fits', 'finer'])
    })

    test('a cursor of events does not tell that something happened which is not shown', async () => {
      const cursor = async () => String((await served.get('/v1/events', { as: red })).page.next_cursor)
      const [one, same] = [await cursor(), await cursor()]
      await served.make('/v1/people', { name: 'unseen', team: 'blue' })
      const other = await cursor()
      expect(new Set([one, same, other]).size).toBe(3)
      expect(new Set([one, same, other].map(({ length }) => length)).size).toBe(1)
      const later = await served.get(`/v1/events?cursor=${one}`, { as: red })
      expect([later.status, later.rows]).toEqual([200, []])
      const altered = `${one.slice(0, -1)}${one.endsWith('A') ? 'B' : 'A'}`
      for (const bad of [altered, one.slice(1), `${one}=`, `${one}A`, 'x'])
        expect((await served.get(`/v1/events?cursor=${bad}`, { as: red })).refusal).toEqual([
          400,
          'bad-cursor',
        ])
    })
  },
  { declaration },
)
