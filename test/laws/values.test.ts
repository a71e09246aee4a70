import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { madeField, typedField } from '../support/random-typed-fields.ts'
import { enumField, openField, stateField } from '../support/random-word-fields.ts'
import { type Fields, nameOf } from '../support/values-api.ts'
import { trial } from '../support/values-trial.ts'

const nightly = process.env.NOUNKIT_NIGHTLY === '1'
/** Random APIs on a store. A new database takes PostgreSQL longer than SQLite takes for all calls. */
const apisOn = { sqlite: nightly ? 600 : 6, postgres: nightly ? 200 : 3 }

const fields: fc.Arbitrary<Fields> = fc.tuple(
  enumField,
  enumField,
  stateField,
  typedField,
  typedField,
  fc.oneof(madeField, openField),
)

/** Describes the API by its changes; the seed generates it again. */
const tell = (run: fc.RunDetails<[Fields, number]>): void => {
  if (!run.failed) return
  const [all = []] = run.counterexample ?? []
  const changes = ([1, 0] as const).map((at) => all.map((field, index) => field.changes(at, nameOf(index))))
  const told = JSON.stringify(changes, (key, value) => (key === 'was' ? undefined : value))
  const message = run.errorInstance instanceof Error ? run.errorInstance.message : run.errorInstance
  throw new Error(
    `seed ${run.seed}, path ${run.counterexamplePath}: ${message}\nchanges of v2 and v1: ${told}`,
  )
}

test.each(storeKinds)(
  'a value outside the version is refused whatever is stored, and what it shows is taken back, on %s',
  async (kind) => {
    const apis = apisOn[kind]
    const found = { sent: 0, refused: 0, taken: 0 }
    await fc.assert(
      fc.asyncProperty(fields, fc.nat(), async (all, seed) => {
        await trial(await emptyDatabase(kind), all, seed, found)
      }),
      { numRuns: apis, endOnFailure: true, reporter: tell },
    )
    // Otherwise the law would hold because nothing was sent.
    expect(Math.min(found.refused, found.taken)).toBeGreaterThan(apis)
    if (nightly) console.info(kind, found)
  },
  nightly ? 7_200_000 : 300_000,
)
