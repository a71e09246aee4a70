import { expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { api } from '../../src/declare/api.ts'
import { type FieldDeclarations, was } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import type { Session, Store } from '../../src/store/store.ts'
import { emptyDatabase, walkedStores } from '../support/databases.ts'
import { openForTest } from '../support/stores.ts'

const things = (fields: FieldDeclarations) =>
  compileApi(api('market', { resources: [resource('things', { fields })] }))
const first = things({ label: z.string(), cost: z.string() })
const next = things({ label: z.string().optional(), price: was('cost', z.int().optional()) })
const follow = (store: Store, model = next) =>
  migrateStore(store, model, { decider: { by: 'person', acceptDataLoss: true } })

/** A store that does something else before the given statement of a session, unless the session has changed anything by then. */
function disturbed(store: Store, before: number, disturb: () => Promise<unknown>) {
  let statements = 0
  let isPlanning = true
  const watched = (session: Session): Session => ({
    async all(sql, values) {
      if (isPlanning && ++statements === before) await disturb()
      return session.all(sql, values)
    },
    script(sql) {
      isPlanning = false
      return session.script(sql)
    },
  })
  return {
    store: { ...store, session: (work) => store.session((session) => work(watched(session))) } as Store,
    wasDisturbed: () => statements >= before,
  }
}

test.each(walkedStores)(
  'another process may migrate between any two statements of a plan: both find the store migrated (%s)',
  async (kind) => {
    for (let before = 1; ; before++) {
      const store = await openForTest(await emptyDatabase(kind))
      await follow(store, first)
      await store.session((session) =>
        session.script(
          `INSERT INTO "things" ("account_id", "id", "label", "cost", "created_at", "updated_at") VALUES ('acme', '1', 'lamp', '12', ${kind === 'sqlite' ? '0, 0' : 'now(), now()'})`,
        ),
      )
      const { store: watched, wasDisturbed } = disturbed(store, before, () => follow(store))
      await follow(watched)
      expect(await store.all('SELECT "label", "price" FROM "things"', [])).toEqual([['lamp', 12]])
      if (!wasDisturbed()) return expect(before).toBeGreaterThan(5)
    }
  },
)
