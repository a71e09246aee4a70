import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { states } from '../../src/declare/field.ts'
import type { HookContext } from '../../src/declare/hooks.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { decimal } from '../../src/index.ts'
import { describeServing } from '../support/serving.ts'
import { noId } from '../support/shop-rows.ts'

/** What the hook of the current test reads, and what it has read. */
let reads: (context: HookContext) => unknown = () => undefined
let found: unknown

const rooms = resource('rooms', { fields: { name: z.string() } })
const slots = resource('slots', {
  fields: {
    name: z.string().max(5),
    day: z.iso.date(),
    starts: z.iso.datetime().optional(),
    seats: z.int().optional(),
    share: z.number().optional(),
    price: decimal({ scale: 2 }).optional(),
    open: z.boolean().default(true),
    size: z.enum(['small', 'large']).optional(),
    mail: z.string().trim().toLowerCase().optional(),
    status: states('free', { free: ['taken'] }),
    tags: z.array(z.string()).optional(),
  },
  relations: { room: belongsTo('rooms', { optional: true }) },
  rules: { read: ({ row, caller }) => row.name.is(caller.claim('name')) },
})
const asks = resource('asks', {
  fields: { text: z.string().default('') },
  hooks: {
    async beforeCreate(_, context) {
      found = await reads(context)
    },
  },
})
const many = resource('pebbles', { fields: { weight: z.int() } })
const declaration = api('rooms', { resources: [rooms, slots, asks, many] })

/** Lines that the service logs. */
const logged: Error[] = []

describeServing(
  'what a hook reads',
  (served) => {
    const account = `readers-${served.kind}`
    let room = ''
    beforeEach(async () => {
      if (room !== '') return
      room = (await served.make('/v1/rooms', { name: 'r' }, { as: account })).id
      const rows = [
        { name: 'a', day: '2026-06-01', seats: 3, starts: '2026-06-01T08:00:00Z', room_id: room },
        { name: 'b', day: '2026-06-01', seats: 1, starts: '2026-06-01T09:00:00Z', price: '9.00' },
        { name: 'c', day: '2026-06-02', starts: '2026-06-01T10:00:00.001Z', price: '10.00', open: false },
        { name: 'd', day: '2026-06-03', seats: 2, share: 0.5, size: 'small', mail: 'ADA@x.org', tags: [] },
        { name: 'e', day: '2026-06-03', seats: 2, share: 1.5, size: 'large' },
      ]
      const key = await served.api.key(account, {
        name: `${account} a`,
        scopes: ['*'],
        claims: { name: 'a' },
      })
      // Nobody may create a slot that it may not read, so a hook makes them.
      reads = async ({ create }) => {
        for (const row of rows) await create('slots', row)
      }
      await served.call('POST', '/v1/asks', { body: {}, as: key })
      caller = key
    })
    let caller = ''

    /** What a hook gets from a call. */
    const read = async <T>(call: (context: HookContext) => Promise<T>): Promise<T> => {
      reads = call
      const answer = await served.call('POST', '/v1/asks', { body: {}, as: caller })
      expect(answer.status, answer.text).toBe(201)
      return found as T
    }
    const names = async (where: object, options = {}): Promise<string> => {
      const rows = await read(({ list }) => list('slots', where as { name: string }, options))
      return rows.map((row) => row.name).join('')
    }

    test.each<[object | (() => object), string]>([
      [{}, 'abcde'],
      [{ name: 'a' }, 'a'],
      [{ name: { eq: 'a' } }, 'a'],
      [{ name: { ne: 'a' } }, 'bcde'],
      [{ name: { in: ['e', 'a', 'x'] } }, 'ae'],
      [{ name: { in: [] } }, ''],
      [{ name: { gt: 'b', lte: 'd' } }, 'cd'],
      [{ name: 'longer than the field allows' }, ''],
      [{ seats: null }, 'c'],
      [{ seats: { null: true } }, 'c'],
      [{ seats: { null: false } }, 'abde'],
      [{ seats: { ne: 2 } }, 'abc'],
      [{ seats: { ne: null } }, 'abde'],
      [{ seats: { in: [1, null] } }, 'bc'],
      [{ seats: { gte: 2 } }, 'ade'],
      [{ seats: { lt: 3 }, name: { ne: 'd' } }, 'be'],
      [{ day: { gte: '2026-06-02' } }, 'cde'],
      [{ starts: { gte: '2026-06-01T11:00:00+02:00', lt: '2026-06-01T10:00:00Z' } }, 'b'],
      [{ starts: '2026-06-01T10:00:00+02:00' }, 'a'],
      // Between two milliseconds.
      [{ starts: { gte: '2026-06-01T10:00:00.0005Z' } }, 'c'],
      [{ starts: { gt: '2026-06-01T10:00:00.0015Z' } }, ''],
      [{ starts: { lt: '2026-06-01T10:00:00.0015Z' } }, 'abc'],
      [{ price: { gt: '9.001' } }, 'c'],
      [{ price: '9' }, 'b'],
      [{ share: { lt: 1 } }, 'd'],
      [{ open: false }, 'c'],
      [{ open: { ne: false } }, 'abde'],
      [{ size: { in: ['small', 'large'] } }, 'de'],
      [{ size: { ne: 'small' } }, 'abce'],
      [{ mail: ' Ada@X.org' }, 'd'],
      [{ status: 'free' }, 'abcde'],
      [{ tags: { null: false } }, 'd'],
      [() => ({ room_id: room }), 'a'],
      [{ room_id: noId }, ''],
      [{ id: { in: [noId] } }, ''],
    ])('by a condition, with the operators of filters: %o', async (given, names) => {
      const where = typeof given === 'function' ? given() : given
      const told = await read(async ({ list, count, exists, sum }) => [
        (await list('slots', where as { name: string })).map((row) => row.name).join(''),
        await count('slots', where as { name: string }),
        await exists('slots', where as { name: string }),
        await sum('slots', 'seats', where as { name: string }),
      ])
      const seats = { a: 3, b: 1, c: 0, d: 2, e: 2 }
      const total = [...names].reduce((sum, name) => sum + seats[name as keyof typeof seats], 0)
      expect(told).toEqual([names, names.length, names.length > 0, total])
    })

    test('is in the order that it asks for: unset values first, or last descending, and the id breaks ties', async () => {
      expect(await names({}, { orderBy: 'seats' })).toBe('cbdea')
      expect(await names({}, { orderBy: '-seats' })).toBe('aedbc')
      expect(await names({}, { orderBy: ['-day', 'seats'] })).toBe('decba')
      expect(await names({}, { orderBy: ['day', '-name'] })).toBe('baced')
      expect(await names({}, { orderBy: '-id' })).toBe('edcba')
      expect(await names({ seats: 2 }, { orderBy: '-starts', limit: 1 })).toBe('e')
      expect(await names({}, { limit: 2 })).toBe('ab')
    })

    test('is what the caller may read, where it asks as the caller', async () => {
      const where = { seats: { gte: 1 } }
      const told = await read(async ({ list, count, exists, sum }) => [
        (await list('slots', where, { asCaller: true, orderBy: '-name', limit: 3 })).map((row) => row.name),
        await count('slots', where, { asCaller: true }),
        await exists('slots', { name: 'b' }, { asCaller: true }),
        await exists('slots', { name: 'b' }),
        await sum('slots', 'seats', where, { asCaller: true }),
      ])
      expect(told).toEqual([['a'], 1, false, true, 3])
    })

    test('is of its account alone', async () => {
      reads = async ({ list, count, exists }) => [
        (await list('slots', {})).length,
        await count('slots', { name: { ne: 'x' } }),
        await exists('slots', {}),
      ]
      await served.make('/v1/asks', {}, { as: 'globex' })
      expect(found).toEqual([0, 0, false])
    })

    test('of more than 1,000 rows is an error, unless it says a limit', async () => {
      reads = async ({ create }) => {
        for (let weight = 0; weight < 1_000; weight++) await create('pebbles', { weight })
      }
      await served.make('/v1/asks', {}, { as: account })
      expect(await read(async ({ list }) => (await list('pebbles', {})).length)).toBe(1_000)
      await read(({ create }) => create('pebbles', { weight: 1_000 }))
      logged.length = 0
      reads = ({ list }) => list('pebbles', {})
      expect((await served.call('POST', '/v1/asks', { body: {}, as: caller })).refusal).toEqual([
        500,
        'unexpected',
      ])
      expect(logged[0]?.message).toBe(
        "list('pebbles', …): more than 1,000 rows meet the conditions. Narrow them, give a limit, or use count, exists or sum. (hook beforeCreate of asks)",
      )
      const told = await read(async ({ list, count, exists, sum }) => [
        (await list('pebbles', {}, { limit: 1_000 })).length,
        (await list('pebbles', { weight: { gte: 1 } })).length,
        (await list('pebbles', {}, { orderBy: '-weight', limit: 1 })).map((row) => row.weight),
        await count('pebbles', {}),
        await count('pebbles', { weight: { lt: 500 } }),
        await exists('pebbles', { weight: 1_001 }),
        await sum('pebbles', 'weight', {}),
      ])
      expect(told).toEqual([1_000, 1_000, [1_000], 1_001, 500, false, 500_500])
    })

    describe('with a mistake', () => {
      test.each<[object, object, string]>([
        [{ name: 7 }, {}, '"name" is compared with a number that is not a valid value.'],
        [{ name: 'a\0' }, {}, '"name" is compared with a string that is not a valid value.'],
        [{ starts: 'tomorrow' }, {}, '"starts" is compared with a string that is not a time with an offset'],
        [{ starts: new Date() }, {}, '"starts" is compared with a Date that is not a time with an offset'],
        [{ starts: '2026-06-01T10:00:00.0005Z' }, {}, '"starts" has a time finer than the milliseconds'],
        [{ day: { gt: '2026-02-30' } }, {}, '"day" is compared with a string that is not a date'],
        [{ size: 'dragon' }, {}, '"size" is compared with a string that is not one of small, large.'],
        [{ status: { in: ['free', 'lost'] } }, {}, 'a string that is not one of free, taken.'],
        [{ seats: '3' }, {}, '"seats" is compared with a string that is not an integer'],
        [{ seats: { gt: 1.5 } }, {}, '"seats" is compared with a number that is not an integer'],
        [{ share: Number.NaN }, {}, '"share" is compared with a number that is not a number.'],
        [{ price: 9 }, {}, '"price" is compared with a number that is not a decimal'],
        [{ open: 1 }, {}, '"open" is compared with a number that is not true or false.'],
        [{ tags: ['x'] }, {}, '"tags" is stored as JSON'],
        [{ tags: { eq: ['x'] } }, {}, '"tags" is stored as JSON'],
        [{ seats: undefined }, {}, '"seats" is undefined. Leave it out, or write null'],
        [{ seats: { gte: undefined } }, {}, '"seats" is undefined.'],
        [{ seats: { gt: null } }, {}, 'gt of "seats" is null, with which nothing compares.'],
        [{ seats: {} }, {}, '"seats" has no operator. Write a value, or { eq: … } around it.'],
        [{ seats: { gtt: 1 } }, {}, '"gtt" is not an operator for "seats". Did you mean "gt"?'],
        [
          { size: { gt: 'small' } },
          {},
          '"gt" is not an operator for "size". There is "eq", "ne", "in", "null".',
        ],
        [{ seats: { constructor: 1 } }, {}, '"constructor" is not an operator for "seats".'],
        [{ seats: { in: 3 } }, {}, 'in of "seats" is not a list.'],
        [{ seats: { in: Array(1_001).fill(1) } }, {}, 'in of "seats" has more than 1000 values.'],
        [{ seats: { null: 'yes' } }, {}, 'null of "seats" is neither true nor false.'],
        [{}, { orderBy: 'sets' }, 'cannot be ordered by "sets". Did you mean "seats"?'],
        [{}, { orderBy: 'tags' }, 'cannot be ordered by "tags".'],
        [{}, { orderBy: [7] }, 'orderBy is a number, and not the name of a field.'],
        [{}, { limit: 0 }, 'limit must be a whole number from 1 to 1000.'],
        [{}, { limit: 1_001 }, 'limit must be a whole number from 1 to 1000.'],
        [{}, { limit: '5' }, 'limit must be a whole number from 1 to 1000.'],
      ])('is a 500, and the log says what is wrong: %o %o', async (where, options, told) => {
        logged.length = 0
        reads = ({ list }) => list('slots', where as { name: string }, options)
        const answer = await served.call('POST', '/v1/asks', { body: {}, as: caller })
        expect(answer.refusal).toEqual([500, 'unexpected'])
        expect(logged).toHaveLength(1)
        expect(logged[0]?.message).toContain(told)
        expect(logged[0]?.message).toMatch(/^list\('slots', …\): .* \(hook beforeCreate of asks\)$/)
        expect(logged[0]?.message).not.toMatch(/tomorrow|dragon|lost/)
      })
    })
  },
  { declaration, warn: (_, error) => void logged.push(error as Error) },
)
