import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { type Store, StoreOutdated } from '../store/store.ts'
import { forgetOldUsage } from './clean.ts'
import type { Outdated } from './outdated.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import { markSilent } from './recorder-rows.ts'
import { type FollowedRetirement, followRetirement } from './retirement.ts'
import { brokenSunsets } from './sent-signals.ts'

/** How soon a count is in the store, and a decision in every process. */
const beatMs = 2_000
const cleanEveryBeats = 1_800
const lastFlushTries = 3

export interface LifecycleOptions {
  readonly store: Store
  readonly model: Model
  readonly clock: Clock
  readonly outdated: Outdated
  readonly warn: (message: string, error: unknown) => void
  /** Null where `beat` is called by hand. */
  readonly everyMs?: number | null
}

/** What a serving process does beside requests: writes down who called, and follows what was decided. */
export interface Lifecycle {
  readonly usage: Recorder
  readonly retirement: FollowedRetirement
  /** Writes and reads now, as otherwise every two seconds. */
  beat(): Promise<void>
  stop(): Promise<void>
}

export async function startLifecycle(options: LifecycleOptions): Promise<Lifecycle> {
  const { store, model, clock, outdated, everyMs = beatMs } = options
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const flushSoon = () => {
    if (timer && !stopped) schedule(0)
  }
  const retirement = await followRetirement(store, model)
  // It is served all the same: a release that announced a sunset must be able to be rolled back. `retire` holds on to the day.
  for (const sentence of await brokenSunsets(store, model)) options.warn(sentence, null)
  const usage = await openRecorder({ store, clock, flushSoon })
  await refuseIfOutdated(outdated, usage)
  const tell = onceUntilMended(options.warn)
  let beats = 0

  let running: Promise<void> = Promise.resolve()
  const beat = (): Promise<void> => {
    running = running.then(beatOnce)
    return running
  }
  const beatOnce = async (): Promise<void> => {
    await tell('What was counted cannot be written; it is kept and tried again.', usage.flush)
    await tell('Whether a version was retired cannot be read.', retirement.refresh)
    await tell('Whether the store was migrated cannot be read.', outdated.check)
    if (beats++ % cleanEveryBeats !== 1) return
    await tell('Old usage cannot be cleared away.', async () => {
      await markSilent(store, clock.now())
      await forgetOldUsage(store, clock.now())
    })
  }
  const schedule = (after: number): void => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      await beat()
      if (!stopped) schedule(everyMs ?? beatMs)
    }, after)
    timer.unref()
  }
  if (everyMs !== null) schedule(everyMs)

  return {
    usage,
    retirement,
    beat,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
      for (let tries = 1; tries <= lastFlushTries; tries++) {
        try {
          return await usage.end()
        } catch (error) {
          if (tries === lastFlushTries)
            options.warn('What was last counted could not be written: usage has a gap.', error)
        }
      }
    },
  }
}

/** From its entry on, a migration sees this process. What was migrated before that, the process must see itself. */
async function refuseIfOutdated(outdated: Outdated, usage: Recorder): Promise<void> {
  await outdated.check()
  if (!outdated.is) return
  await usage.end()
  throw new StoreOutdated('The store was migrated while this process started. Start the newer release.')
}

/** A store that is away is told of once, not every two seconds. */
const onceUntilMended = (warn: LifecycleOptions['warn']) => {
  const told = new Set<string>()
  return async (message: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      told.delete(message)
    } catch (error) {
      if (!told.has(message)) warn(message, error)
      told.add(message)
    }
  }
}
