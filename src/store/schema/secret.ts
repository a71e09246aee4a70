import { randomBytes } from 'node:crypto'
import type { Store } from '../store.ts'

const name = 'cursor-secret'

/** The store's secret for cursors. The first process creates it, and every other process uses the same one. */
export async function ensureSecret(store: Store): Promise<string> {
  const key = store.dialect.param(1, 'string')
  const read = `SELECT "value" FROM "nounkit_meta" WHERE "key" = ${key}`
  const known = await store.first(read, [name])
  if (known) return String(known[0])
  await store.writeOne(
    `INSERT INTO "nounkit_meta" ("key", "value") VALUES (${key}, ${store.dialect.param(2, 'string')}) ON CONFLICT DO NOTHING`,
    [name, randomBytes(32).toString('hex')],
  )
  const made = await store.first(read, [name])
  if (!made) throw new Error('nounkit_meta did not keep the secret; run `nounkit migrate` and start again')
  return String(made[0])
}
