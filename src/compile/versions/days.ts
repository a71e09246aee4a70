import type { VersionDeclaration } from '../../declare/version.ts'
import type { MistakeList } from '../mistakes.ts'
import type { Day, Version } from '../model.ts'

const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** The declared days of a version. */
export const versionDates = (
  { name, published, deprecated, sunset }: VersionDeclaration,
  mistakes: MistakeList,
): Pick<Version, 'published' | 'deprecated' | 'sunset'> => ({
  published: readDay(published, `versions.${name}.published`, mistakes),
  deprecated: readDay(deprecated, `versions.${name}.deprecated`, mistakes),
  sunset: readDay(sunset, `versions.${name}.sunset`, mistakes, true),
})

/** A calendar day, UTC. `last` gives the last second of the day instead of the first. */
const readDay = (
  date: string | undefined,
  where: string,
  mistakes: MistakeList,
  last = false,
): Day | null => {
  if (date === undefined) return null
  const start = dayPattern.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  // Date.parse rolls 30 February over into March.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== date)
    return mistakes.add(
      where,
      `"${date}" is not a calendar day.`,
      'Write it as year-month-day, for example "2026-06-01".',
    )
  return Object.freeze({ date, seconds: start / 1000 + (last ? 86_399 : 0) })
}
