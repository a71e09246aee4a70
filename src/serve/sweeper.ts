import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { sweep, sweepEveryMs } from '../write/keys/sweep.ts'

export interface Sweeper {
  stop(): Promise<void>
}

/** Deletes expired idempotency keys now and then. Housekeeping only: expiry is judged when a key is read. */
export function startSweeper(store: Store, clock: Clock): Sweeper {
  const stopping = new AbortController()
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    running ??= sweep(store, clock, stopping.signal)
      .catch(() => {
        // The store is away: the next round comes soon enough.
      })
      .finally(() => {
        running = null
      })
  }, sweepEveryMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}
