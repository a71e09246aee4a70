import { expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/clock.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { migrateUnserved } from '../../src/lifecycle/migrate-unserved.ts'
import { openService } from '../../src/serve/service.ts'
import { openStore } from '../../src/store/open.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { emptyDatabase } from '../support/databases.ts'

/** The store, and how often its tables were read. */
function counting(store: Store) {
  let reads = 0
  const counted = (session: Session): Session => ({
    ...session,
    all(sql, values) {
      if (sql.includes('pragma_table_info')) reads++
      return session.all(sql, values)
    },
  })
  const watched: Store = { ...store, session: (work) => store.session((session) => work(counted(session))) }
  return { store: watched, reads: () => reads }
}

test('nounkit dev reads the tables of an unchanged store once: a reload takes longer with each further time', async () => {
  const declaration = api('notes', { resources: [resource('notes', { fields: { text: z.string() } })] })
  const model = compileApi(declaration)
  const databaseUrl = await emptyDatabase('sqlite')
  const { store, reads } = counting(await openStore(databaseUrl))
  await migrateUnserved(store, model, { decider: { by: 'person' }, clock: systemClock })
  const before = reads()
  const followed = await migrateUnserved(store, model, { decider: { by: 'person' }, clock: systemClock })
  const service = await openService({
    declaration,
    model,
    databaseUrl,
    published: [],
    fitting: { store, generation: followed.generation },
  })
  await service.close()
  expect(followed.applied).toBe(false)
  expect(reads() - before).toBe(1)
})
