import { readGeneration } from '../migrate/record/store-generation.ts'
import { type Store, StoreRefused, type Transaction } from '../store/store.ts'

const migrated = (cause?: unknown): StoreRefused =>
  new StoreRefused(
    'The store was migrated while it was imported into. Run the import again: it goes on where it ended.',
    cause,
  )

/** At the end of a transaction that has written: a migration waits for it. One that came before has changed the generation. */
export async function demandGeneration(tx: Transaction, generation: number): Promise<void> {
  if ((await readGeneration(tx)) !== generation) throw migrated()
}

/** Work that may fail in any way once a migration has renamed or dropped what its statements name: then the migration is the reason. */
export async function unlessMigrated<T>(
  store: Store,
  generation: number,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const now = await readGeneration(store).catch(() => generation)
    throw now === generation ? error : migrated(error)
  }
}
