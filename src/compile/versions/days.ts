import type { VersionDeclaration } from '../../declare/version.ts'
import { isDate } from '../../kinds/time.ts'
import { secondMs } from '../../times.ts'
import type { MistakeList, Note } from '../mistakes.ts'
import type { Day, Version } from '../model.ts'

/** The declared days of a version. */
export const versionDates = (
  { name, published, deprecated, sunset }: VersionDeclaration,
  mistakes: MistakeList,
): Pick<Version, 'published' | 'deprecated' | 'sunset'> => ({
  published: readDay(published, mistakes.at(`versions.${name}.published`)),
  deprecated: readDay(deprecated, mistakes.at(`versions.${name}.deprecated`)),
  sunset: readDay(sunset, mistakes.at(`versions.${name}.sunset`), true),
})

/** A calendar day, UTC. `last` gives the last second of the day instead of the first. */
const readDay = (date: string | undefined, note: Note, last = false): Day | null => {
  if (date === undefined) return null
  if (!isDate(date))
    return note(`"${date}" is not a calendar day.`, 'Write it as year-month-day, for example "2026-06-01".')
  return Object.freeze({ date, seconds: Date.parse(date) / secondMs + (last ? 86_399 : 0) })
}
