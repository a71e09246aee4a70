import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { sweep, sweepEveryMs } from '../write/keys/sweep.ts'

export interface Sweeper {
  stop(): Promise<void>
}

/** Deletes expired idempotency keys at intervals. An expired key that still exists is ignored when it is read. */
export function startSweeper(store: Store, clock: Clock): Sweeper {
  const stopping = new AbortController()
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    running ??= sweep(store, clock, stopping.signal)
      .catch(() => {
        // The store is unavailable. The next sweep tries again.
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
