import { dayMs } from '../times.ts'

const jitter = 0.1
const longestWaitMs = dayMs

/** When the next attempt is due, after `attempts` have failed; null when that was the last one. */
export function nextAttemptAt(
  attempts: number,
  delaysMs: readonly number[],
  retryAfter: string | null,
  now: number,
): number | null {
  const delay = delaysMs[attempts - 1]
  if (delay === undefined) return null
  // Spread, so that the calls after an outage do not all come back at one moment.
  const spread = delay * (1 - jitter + Math.random() * 2 * jitter)
  return Math.round(now + Math.max(spread, waitOf(retryAfter, now)))
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function waitOf(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now
  return Number.isNaN(wait) ? 0 : Math.min(wait, longestWaitMs)
}
