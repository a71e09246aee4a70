import { sweepEveryMs } from '../write/keys/sweep.ts'

export interface Sweeper {
  stop(): Promise<void>
}

/** Deletes what has expired, or other housekeeping, until `signal` aborts. */
export type Sweep = (signal: AbortSignal) => Promise<void>

/** Runs sweeps at intervals, one after the other. */
export function startSweeper(sweeps: readonly Sweep[]): Sweeper {
  const stopping = new AbortController()
  let running: Promise<void> | null = null
  const sweepAll = async (): Promise<void> => {
    for (const sweep of sweeps)
      await sweep(stopping.signal).catch(() => {
        // The store is unavailable. The next sweep tries again.
      })
  }
  const timer = setInterval(() => {
    running ??= sweepAll().finally(() => {
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
