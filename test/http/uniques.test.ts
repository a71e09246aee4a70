import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { decimal } from '../../src/kinds/decimal-field.ts'
import { describeServing } from '../support/serving.ts'

const rooms = resource('rooms', {
  fields: { name: z.string().max(20) },
  relations: { seats: hasMany('seats') },
})
const seats = resource('seats', {
  fields: { row: z.int(), label: z.string().max(5).optional(), code: z.string().max(10).optional() },
  relations: { room: belongsTo('rooms') },
  unique: [['room_id', 'row', 'label'], 'code'],
})
const passes = resource('passes', {
  fields: { code: z.string().max(10), day: z.iso.date() },
  unique: ['code', ['code', 'day']],
})
const kinds = {
  word: z.string().max(10),
  count: z.int(),
  ratio: z.number(),
  price: decimal({ scale: 2 }),
  flag: z.boolean(),
  day: z.iso.date(),
  at: z.iso.datetime(),
  colour: z.enum(['red', 'green']),
}
const things = resource('things', {
  fields: kinds,
  relations: { room: belongsTo('rooms') },
  unique: [...(Object.keys(kinds) as (keyof typeof kinds)[]), 'room_id'],
  bulk: true,
})
const declaration = api('theatre', { resources: [rooms, seats, passes, things] })

describeServing(
  'unique values',
  (served) => {
    const seat = (room_id: string, row: number, label: string | null, code: string | null = null) =>
      served.call('POST', '/v1/seats', { body: { room_id, row, label, code } })

    test('over several fields they are taken only all together, and each is pointed at', async () => {
      const [one, two] = [
        await served.make('/v1/rooms', { name: '1' }),
        await served.make('/v1/rooms', { name: '2' }),
      ]
      expect((await seat(one.id, 1, 'a')).status).toBe(201)
      expect((await seat(one.id, 1, 'b')).status).toBe(201)
      expect((await seat(one.id, 2, 'a')).status).toBe(201)
      expect((await seat(two.id, 1, 'a')).status).toBe(201)
      const taken = await seat(one.id, 1, 'a')
      expect(taken.refusal).toEqual([409, 'unique-conflict'])
      expect(taken.faults).toEqual(['#/room_id', '#/row', '#/label'])
    })

    test('all sets that are taken are told, of a row that is made and of one that is changed', async () => {
      const { id: room } = await served.make('/v1/rooms', { name: '7' })
      await seat(room, 1, 'a', 'all-1')
      await seat(room, 2, 'a', 'all-2')
      const all = ['#/room_id', '#/row', '#/label', '#/code']
      const made = await seat(room, 1, 'a', 'all-2')
      expect([made.refusal, made.faults]).toEqual([[409, 'unique-conflict'], all])
      expect(made.problem.detail).toBe(
        'room_id, row, label; code must be unique in seats. These values are taken.',
      )
      const own = await seat(room, 3, 'a', 'all-3')
      const change = async (body: object) =>
        (await served.call('PATCH', `/v1/seats/${own.data.id}`, { body })).faults
      expect(await change({ row: 1, code: 'all-2' })).toEqual(all)
      expect(await change({ row: 1 })).toEqual(all.slice(0, 3))
      expect(await change({ code: 'all-1' })).toEqual(['#/code'])
    })

    test('a field of several sets is told once', async () => {
      const body = { code: 'p1', day: '2026-03-01' }
      await served.make('/v1/passes', body)
      expect((await served.call('POST', '/v1/passes', { body })).faults).toEqual(['#/code', '#/day'])
    })

    test('values of every kind are told, of a row that is stored and of one of the same list', async () => {
      const values = {
        word: '"é\\😀',
        count: -9007199254740991,
        ratio: 0.1,
        price: '-0.10',
        flag: false,
        day: '2026-03-01',
        at: '2026-03-01T10:00:00.000Z',
        colour: 'red',
        room_id: (await served.make('/v1/rooms', { name: '5' })).id,
      }
      const others = {
        word: 'a',
        count: 1,
        ratio: 5e-324,
        price: '0.1',
        flag: true,
        day: '2026-03-02',
        at: '2026-03-01T10:00:00.001Z',
        colour: 'green',
        room_id: (await served.make('/v1/rooms', { name: '6' })).id,
      }
      await served.make('/v1/things', values)
      const answer = await served.call('POST', '/v1/things', { body: { data: [others, values, others] } })
      const told = (answer.problem.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`)
      const names = Object.keys(values)
      expect(told.toSorted()).toEqual(
        [
          ...names.map((name) => `#/data/1/${name} is taken`),
          ...names.map((name) => `#/data/2/${name} is the same as in data/0`),
        ].toSorted(),
      )
    })

    test('a change into a taken set is refused, and nothing changes', async () => {
      const { id: room } = await served.make('/v1/rooms', { name: '3' })
      await seat(room, 1, 'a')
      const other = await seat(room, 1, 'b')
      const path = `/v1/seats/${other.data.id}`
      expect((await served.call('PATCH', path, { body: { label: 'a' } })).refusal).toEqual([
        409,
        'unique-conflict',
      ])
      expect((await served.get(path)).text).toBe(other.text)
    })

    test('what is unset is never taken', async () => {
      const { id: room } = await served.make('/v1/rooms', { name: '4' })
      expect((await seat(room, 1, null)).status).toBe(201)
      expect((await seat(room, 1, null)).status).toBe(201)
    })

    test('values differ by case and by every code point', async () => {
      const { id: room } = await served.make('/v1/rooms', { name: '5' })
      for (const code of ['x', 'X', 'x ', 'é', 'e\u0301'])
        expect((await seat(room, 9, code, code)).status, code).toBe(201)
      expect((await seat(room, 9, 'z', 'x')).faults).toEqual(['#/code'])
    })

    test('of many creates at once with one value exactly one succeeds', async () => {
      const { id: room } = await served.make('/v1/rooms', { name: '6' })
      const answers = await Promise.all(Array.from({ length: 8 }, () => seat(room, 1, 'a')))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
      expect((await served.get(`/v1/rooms/${room}/seats`)).rows).toHaveLength(1)
    })

    test('a value that was freed can be taken again', async () => {
      const { id: room } = await served.make('/v1/rooms', { name: '7' })
      const first = await seat(room, 1, 'a', 'free')
      await served.call('DELETE', `/v1/seats/${first.data.id}`)
      expect((await seat(room, 1, 'a', 'free')).status).toBe(201)
    })
  },
  { declaration },
)
