import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import { migrateStore } from '../migrate/migrate-store.ts'
import type { Migrated, MigrateOptions } from '../migrate/migration.ts'
import { isDead } from '../store/process-id.ts'
import type { Store } from '../store/store.ts'
import { demandNobodyServes, type NobodyServes } from './serving.ts'

export interface UnservedOptions extends Omit<MigrateOptions, 'stops' | 'beforeStop'> {
  readonly clock: Clock
  /** Does not check whether other processes serve the store. Undefined where a person cannot say so. */
  readonly force?: boolean
}

/**
 * `migrateStore` with all that processes of an older declaration do not survive, while none serves the store. They are looked for only where
 * there is such a step. A caller that serves the store itself stops doing so in `beforeLock`.
 */
export async function migrateUnserved(
  store: Store,
  model: Model,
  { clock, force, beforeLock, ...options }: UnservedOptions,
): Promise<Migrated> {
  let nobody: NobodyServes | null = null
  return migrateStore(store, model, {
    ...options,
    stops: true,
    async beforeLock() {
      await beforeLock?.()
      if (force) return
      const waiting = (processes: number) => options.waiting?.(waitingSentence(processes))
      const asked = { emptying: options.emptying !== undefined, hasForce: force !== undefined }
      nobody = await demandNobodyServes(store, clock, { waiting, isDead, ...asked })
    },
    beforeStop: async () => nobody?.again(),
  })
}

/** What a person reads while it is waited for processes that may be dead. */
function waitingSentence(processes: number): string {
  const still = processes === 1 ? 'it still does' : 'they still do'
  return `${counted(processes, 'process')} served this store lately. Waiting up to 12 s to see whether ${still} …`
}
