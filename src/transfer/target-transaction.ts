import { lockMeta } from '../store/meta.ts'
import type { Session, Store } from '../store/store.ts'

/**
 * Citus refuses rows of shared resources after it has written several shards at once in the same transaction. PostgreSQL without Citus
 * ignores the setting.
 */
const oneAfterTheOther = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"

/** Fills an empty store in one transaction. No process can begin to serve the store meanwhile: it would seed it. */
export async function inTargetTransaction<T>(
  { dialect }: Store,
  target: Session,
  work: () => Promise<T>,
): Promise<T> {
  await target.script(
    dialect.name === 'sqlite' ? 'BEGIN IMMEDIATE' : `BEGIN; ${lockMeta}; ${oneAfterTheOther}`,
  )
  try {
    const done = await work()
    await target.script('COMMIT')
    return done
  } catch (error) {
    await target.script('ROLLBACK').catch(() => {})
    throw error
  }
}
