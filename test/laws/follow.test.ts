import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileApi } from '../../src/compile/compile.ts'
import { firstFault } from '../../src/compile/schemas/validate.ts'
import {
  changed,
  declarationOf,
  fillOf,
  isFilled,
  moved,
  ops,
  type Spec,
  sampleOf,
  type Values,
} from '../support/changing-spec.ts'
import { emptyDatabase, walkedStores } from '../support/databases.ts'
import { followingStore, serving } from '../support/following.ts'
import { openForTest } from '../support/stores.ts'

const runs = process.env.NOUNKIT_NIGHTLY ? 40 : 4

const first: Spec = {
  resource: 'things',
  fields: [
    { name: 'a', type: 'text', mode: 'required' },
    { name: 'b', type: 'integer', mode: 'optional' },
    { name: 'c', type: 'decimal', mode: 'default' },
  ],
}

/** What a request would send for the n-th row. */
const bodyOf = ({ fields }: Spec, n: number): Values =>
  Object.fromEntries(
    fields
      .filter(({ mode }) => mode === 'required' || n % 2 === 0)
      .map((field) => [field.name, sampleOf(field, n)]),
  )

const steps = fc.array(fc.array(ops, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })

test.each(walkedStores)(
  'after any changes of an unpublished declaration, the rows are those that one would have moved by hand, and every event fits (%s)',
  async (kind) => {
    const law = fc.asyncProperty(steps, async (changes) => {
      const databaseUrl = await emptyDatabase(kind)
      const store = await openForTest(databaseUrl)
      const { follow, create, list } = followingStore(store, databaseUrl)
      let names = 0
      let spec = first
      let rows: Values[] = []
      const add = async (count: number) => {
        const bodies = Array.from({ length: count }, (_, n) => bodyOf(spec, rows.length + n))
        const made = await create(declarationOf(spec), spec.resource, bodies)
        rows = [...rows, ...made.map((row) => shown(row, spec))]
      }
      await follow(declarationOf(spec))
      await add(8)
      await leaveEvents(spec, databaseUrl)
      for (const some of changes) {
        const next = changed(spec, some, () => `n${++names}`)
        const after = rows.map((row) => moved(row, spec, next))
        const fill = new Map(
          next.fields
            .filter(isFilled)
            .map((field) => [`${next.resource}.${field.name}`, String(fillOf(field))]),
        )
        const loses = after.some(({ lost }) => lost > 0)
        if (loses) {
          await expect(follow(declarationOf(next), { fill })).rejects.toThrow('nothing was changed')
          expect((await list(declarationOf(spec), spec.resource)).map((row) => shown(row, spec))).toEqual(
            rows,
          )
        }
        await follow(declarationOf(next), { fill, acceptDataLoss: loses })
        spec = next
        await everyEventFits(spec, databaseUrl)
        rows = after.map(({ row }) => row)
        expect((await list(declarationOf(spec), spec.resource)).map((row) => shown(row, spec))).toEqual(rows)
        await add(1)
        expect(await follow(declarationOf(spec))).toMatchObject({ applied: false })
      }
      await store.close()
    })
    await fc.assert(law, { numRuns: runs })
  },
)

const shown = (row: Values, { fields }: Spec): Values =>
  Object.fromEntries(fields.map(({ name }) => [name, row[name]]))

/** Creates and deletes a row, of which only events are left. */
const leaveEvents = (spec: Spec, databaseUrl: string): Promise<void> =>
  serving(declarationOf(spec), databaseUrl, async (call) => {
    const { data } = await call('POST', spec.resource, bodyOf(spec, 1))
    expect((await call('DELETE', `${spec.resource}/${data.id}`)).status).toBe(204)
  })

const everyEventFits = (spec: Spec, databaseUrl: string): Promise<void> =>
  serving(declarationOf(spec), databaseUrl, async (call) => {
    const fields = compileApi(declarationOf(spec)).resources.get(spec.resource)?.fields ?? []
    const { list } = await call('GET', 'events?limit=100')
    expect(list.length).toBeGreaterThan(9)
    for (const { data } of list)
      for (const { name, nullable, schema } of fields) {
        const value = (data as Values)[name]
        const fault = value === null && nullable ? null : firstFault(schema, value)
        expect([name, value, fault]).toEqual([name, value, null])
      }
  })
