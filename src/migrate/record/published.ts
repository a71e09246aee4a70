import type { ApiDeclaration } from '../../declare/api.ts'
import { forgetMeta, metaFacts, readMeta, upsertMeta } from '../../store/meta.ts'
import type { Store, Transaction } from '../../store/store.ts'

const { key } = metaFacts.published

/**
 * The versions that consumers may rely on, newest first: those with a contract or a date of publication. An API with several versions has
 * had consumers of the older ones, so all of them count.
 */
export function publishedVersions(
  { versions = [] }: ApiDeclaration,
  contracts: ReadonlyMap<string, unknown>,
): readonly string[] {
  const dated = versions.filter(({ published }) => versions.length > 1 || published !== undefined)
  return [...new Set([...dated.map(({ name }) => name), ...contracts.keys()])]
}

/** Records the versions in the store: it then keeps its rows, also from a copy of the declaration that lacks the contracts. */
export async function recordPublished(store: Store, versions: readonly string[]): Promise<void> {
  if (versions.length === 0) return
  const text = versions.join(', ')
  if ((await recordedPublished(store)) !== text) await store.writeOne(upsertMeta(key, text), [])
}

/** The versions that the store was served with once they were published, as text; null where there were none. */
export const recordedPublished = (on: Pick<Transaction, 'all'>): Promise<string | null> => readMeta(on, key)

export const forgetPublished = forgetMeta(key)
