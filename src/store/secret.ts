import { randomBytes } from 'node:crypto'
import { addMeta, metaFacts, readMeta } from './meta.ts'
import { writeAlone } from './run-statement.ts'
import type { Store } from './store.ts'

const { key } = metaFacts.secret

/** The store's secret for cursors. The first process creates it, and every other process uses the same one. */
export async function ensureSecret(store: Store): Promise<string> {
  const known = await readMeta(store, key)
  if (known !== null) return known
  await writeAlone(store, addMeta(store.dialect, key, randomBytes(32).toString('hex')))
  const made = await readMeta(store, key)
  if (made === null)
    throw new Error('nounkit_meta did not keep the secret; run `nounkit migrate` and start again')
  return made
}
