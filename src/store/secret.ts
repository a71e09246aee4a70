import { randomBytes } from 'node:crypto'
import { addMeta, metaFacts, selectMeta } from './meta.ts'
import { writeAlone } from './run-statement.ts'
import type { Store } from './store.ts'

const { key } = metaFacts.secret

/** The store's secret for cursors. The first process creates it, and every other process uses the same one. */
export async function ensureSecret(store: Store): Promise<string> {
  const known = await store.first(selectMeta(key), [])
  if (known) return String(known[0])
  await writeAlone(store, addMeta(store.dialect, key, randomBytes(32).toString('hex')))
  const made = await store.first(selectMeta(key), [])
  if (!made) throw new Error('nounkit_meta did not keep the secret; run `nounkit migrate` and start again')
  return String(made[0])
}
