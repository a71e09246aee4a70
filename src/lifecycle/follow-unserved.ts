import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { counted } from '../compile/names/plural.ts'
import type { Following } from '../migrate/decide/open-decisions.ts'
import type { Followed, FollowOptions } from '../migrate/follow/follow-options.ts'
import { followStore } from '../migrate/follow/follow-store.ts'
import { isDead } from '../store/process-id.ts'
import type { Store } from '../store/store.ts'
import { demandNobodyServes, type NobodyServes } from './serving.ts'

export interface UnservedOptions extends FollowOptions {
  readonly clock: Clock
  /** Does not check whether other processes serve the store. */
  readonly force?: boolean
}

/**
 * `followStore` while no process serves the store: one of the older declaration could write rows that the new one does not allow. A caller
 * that serves the store itself stops doing so in `following.beforeChange`.
 */
export async function followUnserved(
  store: Store,
  model: Model,
  following: Following,
  { clock, force = false, ...options }: UnservedOptions,
): Promise<Followed> {
  let nobody: NobodyServes | null = null
  return followStore(
    store,
    model,
    {
      ...following,
      async beforeChange() {
        await following.beforeChange?.()
        if (force) return
        const waiting = (processes: number) => options.waiting?.(waitingSentence(processes))
        nobody = await demandNobodyServes(store, clock, { waiting, isDead })
      },
      async underLock() {
        await nobody?.again()
        await following.underLock?.()
      },
    },
    options,
  )
}

/** What a person reads while it is waited for processes that may be dead. */
export function waitingSentence(processes: number): string {
  const still = processes === 1 ? 'it still does' : 'they still do'
  return `${counted(processes, 'process')} served this store lately. Waiting up to 12 s to see whether ${still} …`
}
