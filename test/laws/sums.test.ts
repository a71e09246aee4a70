import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, decimal, hasMany, resource, sum } from '../../src/index.ts'
import { findWrongSums } from '../../src/migrate/sums/find-wrong-sums.ts'
import { changeRows } from '../../src/write/change-rows.ts'
import { newRow } from '../../src/write/new-row.ts'
import { byNobody } from '../support/by-nobody.ts'
import { type Answer, describeServing, type Row, type Serving } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

const carts = resource('carts', {
  fields: { total: sum<string>('lines', ['pieces', 'price']), grams: sum('lines', 'grams') },
  relations: { lines: hasMany('lines') },
})
const racks = resource('racks', {
  fields: { pieces: sum('lines', 'pieces') },
  relations: { lines: hasMany('lines') },
})
const lines = resource('lines', {
  fields: { price: decimal({ scale: 2 }), pieces: z.int(), grams: z.int().optional() },
  relations: {
    cart: belongsTo('carts', { optional: true, onTargetDelete: 'cascade' }),
    rack: belongsTo('racks', { optional: true }),
  },
  problems: { unlucky: { status: 409, title: 'Unlucky' } },
  hooks: {
    // Rows that come and go with the row, a refusal after them, and a hook that writes what it should leave alone.
    async afterCreate(line, { create, update, remove, reject }) {
      const { price, grams, cart_id, rack_id } = line
      if (line.pieces === 6) await update('lines', line.id, { pieces: 5, cart_id: null })
      if (line.pieces === 7 || line.pieces === 8)
        await create('lines', { price, grams, cart_id, rack_id, pieces: 2 })
      if (line.pieces === 8) reject({ code: 'unlucky', detail: 'Take another number.' })
      if (line.pieces === 9) await remove('lines', line.id)
      if (line.pieces === 4 && cart_id !== null) await update('carts', cart_id, { grams: 77 })
    },
  },
})

const index = fc.nat({ max: 5 })
/** Two carts and two racks; the third is none. */
const owner = fc.nat({ max: 2 })
const cents = fc.oneof(
  fc.bigInt({ min: -999n, max: 999n }),
  fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n }),
)
const values = fc.record({
  price: cents,
  pieces: fc.integer({ min: -3, max: 9 }),
  grams: fc.option(fc.integer({ min: -(2 ** 52), max: 2 ** 52 })),
  cart: owner,
  rack: owner,
})
type Values = typeof values extends fc.Arbitrary<infer V> ? V : never

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('create' as const), values }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('patch' as const), at: index, values }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('move' as const), at: index, values }) },
  fc.record({ does: fc.constant('put' as const), at: index, values }),
  fc.record({ does: fc.constant('delete' as const), at: index }),
  fc.record({ does: fc.constant('delete cart' as const), at: fc.nat({ max: 1 }) }),
  fc.record({ does: fc.constant('import' as const), rows: fc.array(values, { maxLength: 4 }) }),
)
type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never

const shown = (units: bigint): string => {
  const size = units < 0n ? -units : units
  return `${units < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`
}
const centsOf = (text: unknown): bigint => BigInt(String(text).replace('.', ''))

class Depot {
  readonly #served: Serving
  readonly #as = unique()
  #carts: readonly string[] = []
  #racks: readonly string[] = []

  constructor(served: Serving) {
    this.#served = served
  }

  async open(): Promise<void> {
    const make = async (path: string) => (await this.#served.make(path, {}, { as: this.#as })).id
    this.#carts = [await make('/v1/carts'), await make('/v1/carts')]
    this.#racks = [await make('/v1/racks'), await make('/v1/racks')]
  }

  async rows(path: string): Promise<readonly Row[]> {
    return (await this.#served.get(`/v1/${path}?limit=100`, { as: this.#as })).rows
  }

  async do(operation: Operation, before: readonly Row[]): Promise<void> {
    if (operation.does === 'import') return this.#import(operation.rows)
    const answer = await this.#ask(operation, before)
    if (answer) expect(answer.status, answer.text).toBeLessThan(500)
  }

  #ask(operation: Exclude<Operation, { does: 'import' }>, before: readonly Row[]): Promise<Answer> | null {
    const call = (method: string, path: string, body?: object) =>
      this.#served.call(method, `/v1/${path}`, { as: this.#as, ...(body && { body }) })
    if (operation.does === 'create') return call('POST', 'lines', this.#body(operation.values))
    if (operation.does === 'delete cart') return call('DELETE', `carts/${this.#carts[operation.at]}`)
    const row = before[operation.at]
    if (!row) return null
    if (operation.does === 'delete') return call('DELETE', `lines/${row.id}`)
    const { price, pieces, grams, ...owners } = this.#body(operation.values)
    if (operation.does === 'move') return call('PATCH', `lines/${row.id}`, owners)
    if (operation.does === 'patch') return call('PATCH', `lines/${row.id}`, { price, pieces, grams })
    return call('PUT', `lines/${row.id}`, { price, pieces, grams, ...owners })
  }

  #body({ price, pieces, grams, cart, rack }: Values) {
    return {
      price: shown(price),
      pieces,
      grams,
      cart_id: this.#carts[cart] ?? null,
      rack_id: this.#racks[rack] ?? null,
    }
  }

  /** Many rows at once, as an import inserts them; refused as a whole where a sum gets too large or a cart is gone. */
  async #import(rows: readonly Values[]): Promise<void> {
    const { model, engine } = this.#served.api.service
    const of = model.resources.get('lines')
    if (!of) throw new Error('no lines')
    const whole = rows.map((one) => ({ row: newRow(of, this.#body(one), Date.now()), version: 1 }))
    const write = changeRows(engine.writer, byNobody(this.#as), (changes) =>
      changes.insertMany(of, whole, () => false),
    )
    await write.catch((error: Error) => {
      if (!/too large|foreign/i.test(error.message)) throw error
    })
  }
}

/** The naive model: every row is added up again. */
const addedUp = (rows: readonly Row[], field: string, { id }: Row, part: (row: Row) => bigint): bigint =>
  rows.filter((row) => row[field] === id).reduce((total, row) => total + part(row), 0n)

describeServing(
  'sums',
  (served) => {
    test('are at any time what their rows give, whoever writes them and with whom', async () => {
      const steps = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const depot = new Depot(served)
          await depot.open()
          for (const some of all) {
            const before = await depot.rows('lines')
            await Promise.all(some.map((one) => depot.do(one, before)))
            const rows = await depot.rows('lines')
            for (const cart of await depot.rows('carts')) {
              const total = addedUp(
                rows,
                'cart_id',
                cart,
                (row) => centsOf(row.price) * BigInt(`${row.pieces}`),
              )
              const grams = addedUp(rows, 'cart_id', cart, (row) => BigInt(`${row.grams ?? 0}`))
              expect(cart).toMatchObject({ total: shown(total), grams: Number(grams) })
            }
            for (const rack of await depot.rows('racks'))
              expect(rack.pieces).toBe(
                Number(addedUp(rows, 'rack_id', rack, (row) => BigInt(`${row.pieces}`))),
              )
          }
        }),
        { numRuns: process.env.NOUNKIT_NIGHTLY ? 500 : 20 },
      )
      const { model, store } = served.api.service
      expect(await findWrongSums(store, model)).toEqual([])
    })
  },
  { declaration: api('depot', { resources: [carts, racks, lines], events: { keepDays: 1 } }) },
)
