import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { type Store, StoreOutdated } from '../store/store.ts'
import type { FollowedImages } from './follow-images.ts'
import type { Outdated } from './outdated.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import { keptSums, knownCascades, requiredColumns } from './required-columns.ts'
import { type FollowedRetirement, followRetirement } from './retirement.ts'
import { brokenSunsets } from './sent-signals.ts'

/** How soon a count reaches the store, and a decision every process. */
const beatMs = 2_000
const lastFlushTries = 3

export interface LifecycleOptions {
  readonly store: Store
  readonly model: Model
  readonly clock: Clock
  readonly outdated: Outdated
  readonly images: FollowedImages
  readonly warn: (message: string, error: unknown) => void
  /** Null where the caller calls `beat` itself. */
  readonly everyMs?: number | null
}

export async function startLifecycle(options: LifecycleOptions): Promise<Lifecycle> {
  const { store, model, clock, outdated, warn, everyMs = beatMs } = options
  const retirement = await followRetirement(store)
  // A broken sunset is served all the same: a release that announced one must be able to be rolled back. `retire` keeps the day.
  for (const sentence of await brokenSunsets(store, model)) warn(sentence, null)
  const usage: Recorder = await openRecorder({
    store,
    clock,
    warn,
    requires: [
      ...requiredColumns(model),
      ...keptSums(model, store.dialect).values(),
      ...knownCascades(model),
    ],
    flushSoon: () => lifecycle.beatSoon(),
  })
  await refuseIfOutdated(outdated, usage)
  // A newer process that did not see this one's row has told its values before.
  await options.images.check()
  const lifecycle = new Lifecycle(options, usage, retirement, everyMs)
  return lifecycle
}

/** What a serving process does beside requests: it writes the counts of calls, and reads which versions are retired. */
export class Lifecycle {
  readonly usage: Recorder
  readonly retirement: FollowedRetirement
  readonly #options: LifecycleOptions
  readonly #everyMs: number | null
  readonly #run: (message: string, work: () => Promise<void>) => Promise<void>
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #running: Promise<void> = Promise.resolve()

  constructor(
    options: LifecycleOptions,
    usage: Recorder,
    retirement: FollowedRetirement,
    everyMs: number | null,
  ) {
    this.#options = options
    this.usage = usage
    this.retirement = retirement
    this.#everyMs = everyMs
    this.#run = warnOncePerFailure(options.warn)
    if (everyMs !== null) this.#schedule(everyMs)
  }

  /** Writes and reads now, in addition to every two seconds. */
  beat(): Promise<void> {
    this.#running = this.#running.then(() => this.#beatOnce())
    return this.#running
  }

  /** Moves the next beat forward, where beats are scheduled. */
  beatSoon(): void {
    if (this.#everyMs !== null && !this.#stopped) this.#schedule(0)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
    for (let tries = 1; tries <= lastFlushTries; tries++) {
      try {
        return await this.usage.end()
      } catch (error) {
        if (tries === lastFlushTries)
          this.#options.warn('The last counts could not be written: usage has a gap.', error)
      }
    }
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(async () => {
      await this.beat()
      if (!this.#stopped) this.#schedule(this.#everyMs ?? beatMs)
    }, afterMs)
    this.#timer.unref()
  }

  async #beatOnce(): Promise<void> {
    const { outdated, images } = this.#options
    await this.#run('Counts cannot be written; they are kept and tried again.', () => this.usage.flush())
    await this.#run('Whether a version was retired cannot be read.', () => this.retirement.refresh())
    await this.#run('Whether the store was migrated cannot be read.', () => outdated.check())
    await this.#run('Values of newer versions cannot be read.', () => images.check())
  }
}

/** A migration sees this process once its recorder has a row. A migration before that must be noticed here. */
async function refuseIfOutdated(outdated: Outdated, usage: Recorder): Promise<void> {
  await outdated.check()
  if (!outdated.is) return
  await usage.end()
  throw new StoreOutdated('The store was migrated while this process started. Start the newer release.')
}

/** A store that cannot be reached is logged once, not every two seconds. */
export const warnOncePerFailure = (warn: LifecycleOptions['warn']) => {
  const failing = new Set<string>()
  return async (message: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      failing.delete(message)
    } catch (error) {
      if (!failing.has(message)) warn(message, error)
      failing.add(message)
    }
  }
}
