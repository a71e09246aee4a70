import type { MistakeList } from './mistakes.ts'
import type { Day } from './model.ts'

const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** A calendar day, UTC. `last` gives the last second of the day instead of the first. */
export const readDay = (
  date: string | undefined,
  where: string,
  mistakes: MistakeList,
  last = false,
): Day | null => {
  if (date === undefined) return null
  const start = dayPattern.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  // Date.parse rolls 30 February over into March.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== date) {
    mistakes.add(
      where,
      `"${date}" is not a calendar day.`,
      'Write it as year-month-day, for example "2026-06-01".',
    )
    return null
  }
  return Object.freeze({ date, seconds: start / 1000 + (last ? 86_399 : 0) })
}
