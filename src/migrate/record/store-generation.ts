import { countMeta, metaFacts, readMeta } from '../../store/meta.ts'
import { StoreError, type Transaction } from '../../store/store.ts'

const { key } = metaFacts.generation

/** The statement after which processes of an older release end. */
export const nextGeneration = countMeta(key)

/** How often the store was migrated in a way that processes of an older release cannot use. */
export async function readGeneration(store: Pick<Transaction, 'all'>): Promise<number> {
  return Number((await readMeta(store, key)) ?? 0)
}

/** The same for a store that may have no tables yet. */
export async function generationAtStart(store: Pick<Transaction, 'all'>): Promise<number> {
  try {
    return await readGeneration(store)
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'outdated') return 0
    throw error
  }
}
