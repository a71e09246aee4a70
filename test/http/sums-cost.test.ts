import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { api, belongsTo, hasMany, resource, sum } from '../../src/index.ts'
import type { Transaction } from '../../src/store/store.ts'
import { changeRows } from '../../src/write/change-rows.ts'
import { newRow } from '../../src/write/new-row.ts'
import { byNobody } from '../support/by-nobody.ts'
import { describeServing, type Serving } from '../support/serving.ts'

const carts = resource('carts', {
  fields: { weight: sum('parcels', ['grams', 'pieces']), pieces: sum('parcels', 'pieces') },
  relations: { parcels: hasMany('parcels') },
})
const parcels = resource('parcels', {
  fields: { grams: z.int(), pieces: z.int() },
  relations: { cart: belongsTo('carts', { optional: true }) },
})
const declaration = api('carts', { resources: [carts, parcels] })

/** The rows of parcels that the transactions of some work read, and the texts of their statements. */
interface Work {
  readonly rows: number
  readonly statements: readonly string[]
}

/** PostgreSQL counts the rows that a transaction reads, by index or not. */
const readSoFar = async (tx: Transaction): Promise<number> => {
  const counted = `SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::text FROM pg_stat_xact_user_tables WHERE relname = 'parcels'`
  return Number((await tx.first(counted, []))?.[0])
}

async function workOf(served: Serving, work: () => Promise<unknown>): Promise<Work> {
  const { store, kind } = served
  const transaction = store.transaction.bind(store)
  const statements: string[] = []
  const noted = (sql: string): string => {
    statements.push(sql)
    return sql
  }
  let rows = 0
  const spy = vi.spyOn(store, 'transaction').mockImplementation((run, account) =>
    transaction(async (tx) => {
      const before = kind === 'postgres' ? await readSoFar(tx) : 0
      const value = await run({
        dialect: tx.dialect,
        first: (sql, values) => tx.first(noted(sql), values),
        all: (sql, values) => tx.all(noted(sql), values),
      })
      rows += kind === 'postgres' ? (await readSoFar(tx)) - before : 0
      return value
    }, account),
  )
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return { rows, statements }
}

/** How SQLite reads parcels in these statements: a step of the plan each. */
async function stepsOf({ store }: Serving, statements: readonly string[]): Promise<readonly string[]> {
  const steps: string[] = []
  for (const sql of new Set(statements)) {
    const plan = await store.all(`EXPLAIN QUERY PLAN ${sql}`, [])
    steps.push(...plan.map((row) => String(row[3])).filter((step) => /\bparcels\b/.test(step)))
  }
  return steps
}

describeServing(
  'what a sum costs',
  (served) => {
    const cartOf = async (size: number) => {
      const { id } = await served.make('/v1/carts', {})
      const { model, engine } = served.api.service
      const of = model.resources.get('parcels')
      if (!of) throw new Error('no parcels')
      const rows = Array.from({ length: size }, () => ({
        row: newRow(of, { cart_id: id, grams: 5, pieces: 2 }, Date.now()),
        version: 1,
      }))
      await changeRows(engine.writer, byNobody('acme'), (changes) =>
        changes.insertMany(of, rows, () => false),
      )
      expect((await served.get(`/v1/carts/${id}`)).data).toMatchObject({
        weight: 10 * size,
        pieces: 2 * size,
      })
      return id
    }
    /** What it takes to create, change, move and delete one row of two owners. */
    const workOn = async (one: string, other: string) => {
      const made = await workOf(served, () =>
        served.make('/v1/parcels', { cart_id: one, grams: 1, pieces: 3 }),
      )
      const { id } = await served.make('/v1/parcels', { cart_id: one, grams: 7, pieces: 1 })
      const patch = (body: object) => served.call('PATCH', `/v1/parcels/${id}`, { body })
      return {
        create: made,
        update: await workOf(served, () => patch({ grams: 8 })),
        move: await workOf(served, () => patch({ cart_id: other, pieces: 4 })),
        delete: await workOf(served, () => served.call('DELETE', `/v1/parcels/${id}`)),
      }
    }

    test('is the same among 10 rows and among 2,000', async () => {
      const small = [await cartOf(10), await cartOf(10)] as const
      const large = [await cartOf(2_000), await cartOf(2_000)] as const
      await served.store.session((session) => session.script('ANALYZE'))
      const works = { small: await workOn(...small), large: await workOn(...large) }
      expect(works.large).toEqual(works.small)
      for (const { rows, statements } of Object.values(works.large)) {
        expect(statements.length).toBeGreaterThan(2)
        // PostgreSQL: the row itself, once to lock and once to write it; on Citus also to read what was written.
        expect(rows).toBeLessThanOrEqual(served.store.dialect.returnsRows ? 2 : 3)
        if (served.kind === 'postgres') continue
        for (const step of await stepsOf(served, statements))
          expect(step).toMatch(/^SEARCH parcels .*\(account_id=\? AND id=\?\)$/)
      }
      expect((await served.get(`/v1/carts/${large[0]}`)).data).toMatchObject({
        weight: 20_003,
        pieces: 4_003,
      })
      expect((await served.get(`/v1/carts/${large[1]}`)).data).toMatchObject({
        weight: 20_000,
        pieces: 4_000,
      })
    })

    test('is one change of the owner for all rows of a batch, and for all its sums', async () => {
      const id = await cartOf(25)
      const answer = await served.get(`/v1/carts/${id}`)
      expect(answer.rowVersion).toBe(2)
    })
  },
  { declaration },
)
