import { SettingMistake } from '../setting-mistake.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../times.ts'

/** The milliseconds before each further attempt. */
const usualDelays = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]

/** The delays of `NOUNKIT_WEBHOOK_DELAYS`, in seconds; the usual ones where it says nothing. Throws where one cannot be read. */
export function readDelays(texts: readonly string[]): readonly number[] {
  if (texts.length === 0) return usualDelays
  return texts.map((text) => {
    const seconds = /^\d{1,7}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
    if (Number.isFinite(seconds)) return seconds * secondMs
    throw new SettingMistake(
      `NOUNKIT_WEBHOOK_DELAYS has "${text}". Write the seconds before each further attempt, such as 5,300,1800.`,
    )
  })
}

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
