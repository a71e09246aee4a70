import type { Clock } from '../clock.ts'
import { warnOncePerFailure } from '../lifecycle/start-lifecycle.ts'
import type { Store } from '../store/store.ts'
import { inTurn, type SharedWork } from '../store/turns.ts'
import { minuteMs } from '../times.ts'

export interface Sweeper {
  stop(): Promise<void>
}

/** A part of the housekeeping, which runs until `signal` aborts. */
export interface Sweep extends SharedWork {
  work(signal: AbortSignal): Promise<void>
}

/** Runs the parts of the housekeeping at intervals, one after the other, each in one process at a time. */
export function startSweeper(
  store: Store,
  clock: Clock,
  sweeps: readonly Sweep[],
  warn: (message: string, error: unknown) => void,
): Sweeper {
  const run = warnOncePerFailure(warn)
  const stopping = new AbortController()
  const { signal } = stopping
  let running: Promise<void> | null = null
  const sweepAll = async (): Promise<void> => {
    for (const sweep of sweeps) {
      if (signal.aborted) return
      await run(`What has expired cannot be deleted (${sweep.name}); it is tried again.`, () =>
        inTurn(store, clock, sweep, signal, (end) => sweep.work(end)),
      )
    }
  }
  const timer = setInterval(() => {
    running ??= sweepAll().finally(() => {
      running = null
    })
  }, minuteMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}
