import { describe, test } from 'vitest'
import { emptyDatabase, type StoreKind, storeKinds } from '../support/databases.ts'
import { edits } from '../support/rolling-world.ts'
import { releaseInTurn, releases } from './release-in-turn.ts'

const nightly = process.env.NOUNKIT_NIGHTLY === '1'

/** A file of SQLite is served by two, as its writers take turns anyway. Of three, either most are older or most are newer. */
const processes: { readonly [K in StoreKind]: number } = { sqlite: 2, postgres: nightly ? 4 : 3 }

describe.each(storeKinds)('%s', (kind) => {
  test('every change that needs no stop at once: processes are replaced one after another, and back, and no call notices', async () => {
    await releaseInTurn(await emptyDatabase(kind), await releases(edits), edits, processes[kind])
  }, 300_000)

  test.runIf(nightly).each(edits)(
    '%s alone: two processes are replaced, and back',
    async (edit) => {
      await releaseInTurn(await emptyDatabase(kind), await releases([edit]), [edit], 2)
    },
    300_000,
  )
})
