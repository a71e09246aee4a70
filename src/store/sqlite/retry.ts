import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../store.ts'
import { isBusy } from './errors.ts'

/** Retries `attempt` while another process has the file locked, without blocking the event loop between attempts. */
export async function whenFree<T>(attempt: () => T, patience: number): Promise<T> {
  const giveUpAt = performance.now() + patience
  for (let tries = 0; ; tries++) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() >= giveUpAt)
        throw new StoreError('unavailable', `SQLite: another process held the file for ${patience} ms`, {
          cause: error,
        })
      await sleep(pauseMs(tries))
    }
  }
}

export const pauseMost = 16

/** Short at first, since most locks last one commit; with jitter, so that every waiting process gets the lock at some time. */
export const pauseMs = (tries: number): number => 1 + Math.random() * Math.min(2 + tries / 4, pauseMost - 1)
