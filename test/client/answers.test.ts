import { testApi } from 'nounkit/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { shapeText } from '../../src/contract/typescript/shape-text.ts'
import { openapiOf } from '../../src/contract-door.ts'
import { api, belongsTo, hasMany, readOnly, resource } from '../../src/index.ts'

const trips = resource('trips', {
  fields: { name: z.string() },
  relations: { fares: hasMany('fares'), alarms: hasMany('alarms') },
  include: ['fares'],
})
const fares = resource('fares', {
  fields: { price: readOnly(z.int()), created_at: readOnly(z.iso.datetime()) },
  relations: { trip: belongsTo(trips) },
  filter: ['price', 'trip_id'],
  include: ['trip'],
  // Only older versions can create any.
  methods: ['GET'],
  answers: {
    create: (input, { now }) => ({ ...input, price: 1, created_at: now }),
    list: ({ filter }) => ({
      rows: (filter.trip_id?.in ?? ['01980000-0000-7000-8000-000000000042']).map((trip_id) => ({
        id: 'f-1',
        trip_id,
        price: filter.price?.eq ?? 3,
        created_at: '2026-01-01T00:00:00Z',
      })),
    }),
  },
})
const alarms = resource('alarms', {
  fields: { text: z.string() },
  relations: { trip: belongsTo(trips), fare: belongsTo(fares, { optional: false }) },
  owner: 'trip',
  include: ['fare'],
  answers: {
    create: (input) => input,
    get: (id) => ({ id, text: id, trip_id: '01980000-0000-7000-8000-000000000042', fare_id: 'f-2' }),
  },
})
const declaration = api('travel', { resources: [trips, fares, alarms], events: { keepDays: 1 }, audit: true })

test('the typed client has the calls that there are functions for', async () => {
  const served = await testApi(declaration)
  try {
    const client = await served.client('acme')
    const trip = await client.trips.create({ name: 'x' })
    const { data } = await client.fares.list({ filter: { price: 7 } })
    expect(data.map(({ price, created_at }) => [price, created_at])).toEqual([
      [7, '2026-01-01T00:00:00.000Z'],
    ])
    // @ts-expect-error it is not among the methods
    expect(() => client.fares.create({ trip_id: trip.id })).toBeDefined()
    // @ts-expect-error there is no get
    expect(() => client.fares.get('f-1')).toBeDefined()
    // @ts-expect-error rows have no updated_at
    expect(data[0]?.updated_at).toBeUndefined()
    const [lost] = (await client.fares.list({ include: ['trip'] })).data
    // @ts-expect-error nothing keeps the row that a row of code names from being deleted
    expect(() => lost?.trip.name).toThrow(TypeError)
    expect(lost?.trip?.name).toBeUndefined()
    const alarm = await client.trips.at(trip).alarms.create({ text: 'now', fare_id: 'f-1' })
    expect(alarm).toMatchObject({ text: 'now', trip_id: trip.id })
    // @ts-expect-error there is no list
    expect(() => client.trips.at(trip).alarms.list()).toBeDefined()
    const { fares: included } = await client.trips.get(trip.id, { include: ['fares'] })
    expect(included.data).toMatchObject([{ id: 'f-1', trip_id: trip.id }])
    const entries = await client.auditEntries.list({ filter: { resource: 'trips' } })
    expect(entries.data).toMatchObject([{ action: 'created', row_id: trip.id, after: { name: 'x' } }])
    // @ts-expect-error no rows of it are stored, so no change of them is recorded
    await client.auditEntries.list({ filter: { resource: 'fares' } }).catch(() => {})
  } finally {
    await served.close()
  }
})

test('contracts, documents and generated clients have what is offered, and no events', () => {
  const model = compileApi(declaration)
  const contract = contractOf(model, model.head)
  const methods = Object.entries(contract.paths).map(([path, of]) => `${path} ${Object.keys(of)}`)
  expect(methods.filter((line) => /fares|alarms/.test(line))).toEqual([
    '/fares GET',
    '/trips/{id}/fares GET',
    '/trips/{id}/alarms POST',
    '/trips/{id}/alarms/{sub_id} GET',
  ])
  expect(contract.paths['/fares']?.GET?.problems[504]).toEqual(['answer-timed-out'])
  expect(contract.events?.types).toEqual(['trips.created', 'trips.updated', 'trips.deleted'])
  expect(contract.resources.alarms?.relations.fare).toMatchObject({ kind: 'to-one', unchecked: true })
  expect(contract.resources.fares?.relations.trip).toMatchObject({ kind: 'to-one', unchecked: true })
  const shape = shapeText(contract)
  expect(shape).toContain('methods: "list"')
  expect(shape).toContain('methods: "POST" | "one"')
  expect(shape).toContain(`fare: { kind: 'one or null'`)
  expect(shape).not.toContain(`trip: { kind: 'one';`)
  const document = JSON.stringify(openapiOf(declaration, 'v1'))
  expect(document).toContain('answer-timed-out')
  expect(document).toContain('"trip":{"anyOf":[{"$ref":"#/components/schemas/Trip"},{"type":"null"}]')
})

test('what cannot go with answers is reported at once', () => {
  const odd = resource('odd-rates', {
    fields: { price: z.int(), created_at: z.string(), code: z.string() },
    relations: { trip: belongsTo('plain-trips', { onTargetDelete: 'cascade' }), parts: hasMany('parts') },
    unique: ['code'],
    filter: ['price'],
    count: true,
    bulk: true,
    requireIfMatch: true,
    events: true,
    methods: ['GET'],
    was: 'rates',
    hooks: { beforeCreate() {} },
    idempotencyKey: { mode: 'required', body: 'reread' },
    rules: { update: ({ row }) => row.price.is(1) },
    answers: { create: (input) => ({ ...input, id: 'x' }) as never },
    answerWithin: '10 seconds',
  })
  const parts = resource('parts', {
    fields: { name: z.string() },
    relations: { rate: belongsTo('odd-rates') },
    owner: 'rate',
    include: ['rate'],
    filter: ['rate.price'],
    rules: { read: ({ row }) => row.rate.price.is(1) },
  })
  const plain = resource('plain-trips', {
    fields: { name: z.string() },
    relations: { rates: hasMany('odd-rates') },
    answerWithin: '1s',
  })
  const empty = resource('empty-rates', { fields: {}, answers: {} })
  const said = mistakesOf(
    api('odd', { resources: [odd, parts, plain, empty] as never, events: { keepDays: 1 } }),
  )
  for (const text of [
    'odd-rates.unique: it cannot go with answers',
    'odd-rates.hooks: it cannot go with answers',
    'odd-rates.count: it cannot go with answers',
    'odd-rates.bulk: it cannot go with answers',
    'odd-rates.requireIfMatch: it cannot go with answers',
    'odd-rates.methods: answers has no function for GET',
    'odd-rates.was: it cannot go with answers',
    'odd-rates.events: it cannot go with answers',
    'odd-rates.idempotencyKey: it cannot go with answers',
    'odd-rates.rules.update: it cannot go with answers',
    'odd-rates.filter: it is for lists, and answers has no list',
    'odd-rates.answerWithin: "10 seconds" is not a time from 1ms to 5m',
    'odd-rates.fields.created_at: it is the time that the code of the resource gives',
    'odd-rates.relations.trip: nothing can be deleted along',
    'odd-rates.relations.parts: /odd-rates/{id}/parts needs to know whether there is such a row',
    'parts.owner: rows of odd-rates are answered by code, and not stored',
    'parts.filter: "rate.price" leads through relations',
    'parts.include: "rate" leads to odd-rates, which has no list among its answers',
    'parts.rules.read: "rate" leads to odd-rates, whose rows are answered by code',
    'plain-trips.answerWithin: it is the time of code that answers, and there is none',
    'empty-rates.answers: there is no function',
  ])
    expect(said).toContain(text)
})

const mistakesOf = (declared: Parameters<typeof compileApi>[0]): string => {
  try {
    compileApi(declared)
  } catch (error) {
    return String(error)
  }
  return ''
}
