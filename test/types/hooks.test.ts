import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import type { orders } from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import { immutable, readOnly, states, sum, writeOnly } from '../../src/declare/field.ts'
import type { HookContext } from '../../src/declare/hooks.ts'
import { every, job } from '../../src/declare/job.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { type ResourceDeclaration, resource } from '../../src/declare/resource.ts'
import type { RowOf } from '../../src/declare/row.ts'
import { decimal } from '../../src/kinds/decimal-field.ts'

type Row<D> = D extends ResourceDeclaration<infer F, infer R> ? RowOf<F, R> : never

test('a hook knows its row: fields, references, and what the server adds', () => {
  resource('loans', {
    fields: {
      title: z.string(),
      note: z.string().optional(),
      days: z.int().default(14),
      tags: z.array(z.string()),
      code: immutable(z.enum(['a', 'b'])),
      pin: writeOnly(z.string().nullable()),
      seen: readOnly(z.iso.datetime()).optional(),
      status: states('open', { open: ['closed', 'lost'] }),
      fines: sum('payments', 'amount'),
    },
    relations: {
      reader: belongsTo('readers'),
      clerk: belongsTo('readers', { optional: true }),
      payments: hasMany('payments'),
    },
    problems: { 'too-long': { status: 409, title: 'Too long' } },
    hooks: {
      beforeCreate(row) {
        expectTypeOf(row.id).toEqualTypeOf<string>()
        expectTypeOf(row.created_at).toEqualTypeOf<string>()
        expectTypeOf(row.title).toEqualTypeOf<string>()
        expectTypeOf(row.note).toEqualTypeOf<string | null>()
        expectTypeOf(row.days).toEqualTypeOf<number>()
        expectTypeOf(row.tags).toEqualTypeOf<string[]>()
        expectTypeOf(row.code).toEqualTypeOf<'a' | 'b'>()
        expectTypeOf(row.pin).toEqualTypeOf<string | null>()
        expectTypeOf(row.seen).toEqualTypeOf<string | null>()
        expectTypeOf(row.status).toEqualTypeOf<'open' | 'closed' | 'lost'>()
        expectTypeOf(row.fines).toEqualTypeOf<number>()
        expectTypeOf(row.reader_id).toEqualTypeOf<string>()
        expectTypeOf(row.clerk_id).toEqualTypeOf<string | null>()
        expectTypeOf(row).not.toHaveProperty('payments')
        expectTypeOf(row).not.toHaveProperty('payments_id')
        return { note: 'lent' }
      },
      async beforeUpdate(next, before, { reject }) {
        expectTypeOf(next).toEqualTypeOf(before)
        if (next.days > 30) reject({ code: 'too-long', detail: 'At most 30 days.' })
      },
    },
  })
})

test('a hook may only set fields that there are, to values they have', () => {
  resource('loans', {
    fields: { days: z.int() },
    hooks: {
      // @ts-expect-error a number is wanted
      beforeCreate: () => ({ days: 'many' }),
      // @ts-expect-error the same of a promise
      beforeUpdate: async () => ({ days: 'many' }),
    },
  })
  resource('loans', {
    fields: { days: z.int() },
    hooks: {
      // @ts-expect-error a number is no field
      beforeCreate: () => 7,
      beforeUpdate: (next) => (next.days > 30 ? { ...next, days: 30 } : undefined),
    },
  })
})

test('a hook may only refuse with problems that are declared', () => {
  resource('loans', {
    fields: { days: z.int() },
    hooks: {
      beforeCreate(_, { reject }) {
        expectTypeOf(reject).parameter(0).toHaveProperty('code').toEqualTypeOf<'too-long' | 'too-many'>()
        // @ts-expect-error "too-lnog" is not declared
        if (Math.random() > 2) reject({ code: 'too-lnog', detail: 'At most 30 days.' })
        // @ts-expect-error "dyas" is not a field
        if (Math.random() > 2) reject({ code: 'too-long', detail: 'At most 30 days.', field: 'dyas' })
        // @ts-expect-error the title stands in the declaration
        if (Math.random() > 2) reject({ code: 'too-long', title: 'Too long', detail: 'At most 30 days.' })
      },
    },
    problems: {
      'too-long': { status: 409, title: 'Too long' },
      'too-many': { status: 422, title: 'Too many', description: 'At most three.', fix: 'Return one.' },
    },
  })
  resource('loans', {
    fields: { days: z.int() },
    hooks: {
      beforeCreate(_, { reject }) {
        // @ts-expect-error nothing is declared
        if (Math.random() > 2) reject({ code: 'too-long', detail: 'At most 30 days.' })
      },
    },
  })
  resource('loans', {
    fields: {},
    // @ts-expect-error 401 is not a status that a hook can refuse with
    problems: { 'who-are-you': { status: 401, title: 'Who are you' } },
  })
})

test('a sum has the type of its field: a decimal is a string, and the type is written only where the field is not known', () => {
  const wells = resource('wells', { fields: { depth: decimal({ scale: 2 }), pumps: z.int() } })
  resource('drills', {
    fields: { power: decimal({ scale: 1 }).optional() },
    relations: { well: belongsTo(wells), parts: hasMany('parts') },
    hooks: {
      async beforeCreate(_, { sum }) {
        expectTypeOf(await sum('wells', 'depth', {})).toEqualTypeOf<string>()
        expectTypeOf(await sum(wells, 'pumps', { depth: '1.00' })).toEqualTypeOf<number>()
        expectTypeOf(await sum('drills', 'power', {})).toEqualTypeOf<string>()
        expectTypeOf(await sum<string>('parts', 'price', {})).toEqualTypeOf<string>()
        // @ts-expect-error a sum of decimals is a string
        const depth: number = await sum('wells', 'depth', {})
        // @ts-expect-error the type is known, and is another
        await sum<number>('wells', 'depth', {})
        // @ts-expect-error the same of a resource that is given by itself
        await sum<string>(wells, 'pumps', {})
        return depth > 0 ? {} : undefined
      },
    },
  })
})

test('conditions, orders and counts of a hook have the fields of the resource, their operators, and values of their kinds', () => {
  const rooms = resource('rooms', { fields: { name: z.string() } })
  resource('slots', {
    fields: {
      starts: z.iso.datetime(),
      seats: z.int().optional(),
      size: z.enum(['small', 'large']),
      open: z.boolean(),
      tags: z.array(z.string()).optional(),
    },
    relations: { room: belongsTo(rooms), parts: hasMany('parts') },
    hooks: {
      async beforeCreate(slot, { list, count, exists, sum }) {
        const day = { gte: slot.starts, lt: '2026-06-01T00:00:00Z' }
        const { room_id } = slot
        const last = { orderBy: '-starts', limit: 10 } as const
        expectTypeOf(await list('slots', { room_id, starts: day }, last)).items.toHaveProperty('seats')
        await list(
          'slots',
          { seats: { in: [1, null], ne: 2 } },
          { orderBy: ['-seats', 'id'], asCaller: true },
        )
        await list('slots', {
          seats: null,
          size: { in: ['small'] },
          open: { ne: true },
          tags: { null: true },
        })
        await list(rooms, { name: { gt: 'a' } }, { orderBy: 'name' })
        await list('parts', { anything: { gte: 1 } }, { orderBy: '-anything' })
        expectTypeOf(await count('slots', { seats: { null: false } })).toEqualTypeOf<number>()
        expectTypeOf(await exists(rooms, { name: 'x' }, { asCaller: true })).toEqualTypeOf<boolean>()
        expectTypeOf(await sum('slots', 'seats', { starts: day })).toEqualTypeOf<number>()
        // @ts-expect-error "strats" is not a field
        await list('slots', { strats: day })
        // @ts-expect-error "gtt" is not an operator
        await list('slots', { seats: { gtt: 1 } })
        // @ts-expect-error a number is wanted
        await list('slots', { seats: '1' })
        // @ts-expect-error a number is wanted
        await count('slots', { seats: { gte: '1' } })
        // @ts-expect-error nothing compares with null
        await count('slots', { seats: { gte: null } })
        // @ts-expect-error a list is wanted
        await exists('slots', { seats: { in: 1 } })
        // @ts-expect-error "dragon" is not a value
        await exists('slots', { size: 'dragon' })
        // @ts-expect-error "dragon" is not a value
        await exists('slots', { size: { in: ['dragon'] } })
        // @ts-expect-error the values of an enum have no order
        await exists('slots', { size: { gt: 'small' } })
        // @ts-expect-error booleans have no order
        await exists('slots', { open: { lt: true } })
        // @ts-expect-error a list is stored as JSON
        await list('slots', { tags: ['a'] })
        // @ts-expect-error "strats" is not a field
        await list('slots', {}, { orderBy: '-strats' })
        // @ts-expect-error there is no order of lists
        await list('slots', {}, { orderBy: 'tags' })
        // @ts-expect-error a number is wanted
        await list('slots', {}, { limit: '10' })
        // @ts-expect-error only a list has an order
        await count('slots', {}, { orderBy: 'starts' })
        // @ts-expect-error "naem" is not a field
        await exists(rooms, { naem: 'x' })
        // @ts-expect-error there is no such resource
        await count('slot', {})
        // @ts-expect-error "strats" is not a field
        await sum('slots', 'seats', { strats: day })
      },
    },
  })
})

test('a declared sum of decimals is a string, which must be written', () => {
  const lines = resource('lines', {
    fields: { price: decimal({ scale: 2 }).optional(), pieces: z.int() },
    relations: { bill: belongsTo('bills') },
  })
  const relations = { lines: hasMany('lines') }
  const sums = { pieces: sum('lines', 'pieces'), net: sum<string>('lines', ['price', 'pieces']) }
  expectTypeOf(api).toBeCallableWith('trade', {
    resources: [lines, resource('bills', { fields: sums, relations })],
  })
  const wrong = resource('bills', { fields: { net: sum('lines', ['price', 'pieces']) }, relations })
  // @ts-expect-error bills.fields.net: a sum of decimals is a string: write sum<string>(…)
  api('trade', { resources: [lines, wrong] })
})

test('a function of its own takes the context of any hook', () => {
  const stop = (context: HookContext<'too-long'>) => context.reject({ code: 'too-long', detail: 'No.' })
  const look = (context: HookContext) => context.find('loans', 'x')
  resource('loans', {
    fields: {},
    problems: { 'too-long': { status: 409, title: 'Too long' }, other: { status: 409, title: 'Other' } },
    hooks: {
      async beforeDelete(_, context) {
        await look(context)
        stop(context)
      },
    },
  })
})

test('what a declaration names of itself is checked where it is written', () => {
  // @ts-expect-error "redaer" is not a relation
  resource('loans', { fields: {}, relations: { reader: belongsTo('readers') }, owner: 'redaer' })
  // @ts-expect-error "opne" is not a state
  states('opne', { open: ['closed'] })
  // @ts-expect-error "fitler" is not an option
  resource('loans', { fields: {}, fitler: [] })
})

test('totals have no fields of their own, and no other options of rows', () => {
  const totals = { of: 'loans', by: ['days'] } as const
  resource('loan-totals', { totals, description: 'How many there are.' })
  // @ts-expect-error they have fields
  resource('loan-totals', { totals, fields: { days: z.int() } })
  // @ts-expect-error they are filtered as their rows are
  resource('loan-totals', { totals, filter: ['id'] })
})

test('any resource can stand in an api, whatever its fields and hooks', () => {
  const plain = resource('readers', { fields: { name: z.string() } })
  const hooked = resource('loans', {
    fields: { days: z.int() },
    hooks: { afterCreate: (row) => void row.days },
  })
  expectTypeOf(api).toBeCallableWith('library', { resources: [plain, hooked] })
})

test("a declaration's row can be named for tests of one's own", () => {
  expectTypeOf<Row<typeof orders>['status']>().toEqualTypeOf<
    'draft' | 'placed' | 'cancelled' | 'paid' | 'shipped' | 'refunded'
  >()
  expectTypeOf<Row<typeof orders>['customer_id']>().toEqualTypeOf<string>()
  expectTypeOf<Row<typeof orders>['note']>().toEqualTypeOf<string | null>()
})

test('a job that is handed over by itself has the payload that it takes', () => {
  const remind = job(z.object({ loan_id: z.string(), days: z.int().default(1) }), (payload, { account }) => {
    expectTypeOf(payload).toEqualTypeOf<{ loan_id: string; days: number }>()
    expectTypeOf(account).toEqualTypeOf<string>()
  })
  const tidy = every('1h', ({ attempt }) => expectTypeOf(attempt).toEqualTypeOf<number>())
  // @ts-expect-error this is not a length of time
  every('1 hour', () => {})
  // @ts-expect-error nor is this
  job(z.object({}), () => {}, { retries: ['soon'] })
  const loans = resource('loans', {
    fields: { title: z.string() },
    hooks: {
      async afterCreate(loan, { later }) {
        await later(remind, { loan_id: loan.id }, { at: loan.created_at, unique: loan.id })
        await later(remind, { loan_id: loan.id, days: 3 }, { at: new Date() })
        // Names are checked when the hook runs.
        await later('remind', { loan_id: loan.id })
        // @ts-expect-error the payload lacks what it needs
        await later(remind, {})
        // @ts-expect-error it has another type
        await later(remind, { loan_id: 7 })
        // @ts-expect-error there is no such option
        await later(remind, { loan_id: loan.id }, { in: '5m' })
        // @ts-expect-error work at regular times is not handed over
        await later(tidy, {})
      },
    },
  })
  api('library', { resources: [loans], jobs: { remind, tidy } })
  // @ts-expect-error this is neither
  expect(() => compileApi(api('library', { resources: [loans], jobs: { remind: () => {} } }))).toThrow(
    'jobs.remind',
  )
})
