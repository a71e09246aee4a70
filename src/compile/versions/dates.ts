import type { VersionDeclaration } from '../../declare/version.ts'
import { isDate } from '../../kinds/time.ts'
import { secondMs } from '../../times.ts'
import type { MistakeList, Note } from '../mistakes.ts'
import type { Day, Version } from '../model.ts'

/** How long both versions are served after the deprecation was announced. */
export const overlapMonths = 6

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

/** The dates of all versions, newest first, against each other: promises are made in order and kept long enough. */
export const checkDates = (declared: readonly VersionDeclaration[], mistakes: MistakeList): void => {
  declared.forEach((version, index) => {
    const newer = declared[index - 1]
    const say = (key: string, what: string, hint: string) =>
      mistakes.add(`versions.${version.name}.${key}`, what, hint)
    if (!newer) checkNewest(version, say)
    checkOrder(version, newer, say)
    checkOverlap(version, newer, say)
  })
}

type Say = (key: string, what: string, hint: string) => void

const checkNewest = ({ name, deprecated, sunset }: VersionDeclaration, say: Say): void => {
  if (deprecated === undefined && sunset === undefined) return
  say(
    deprecated === undefined ? 'sunset' : 'deprecated',
    `${name} has no successor that its consumers could move to.`,
    'Declare and publish a newer version first.',
  )
}

/** Days as text compare as dates; an invalid day is reported elsewhere. */
const checkOrder = (
  { name, published, deprecated, sunset }: VersionDeclaration,
  newer: VersionDeclaration | undefined,
  say: Say,
): void => {
  if (published !== undefined && newer?.published !== undefined && newer.published < published) {
    say(
      'published',
      `${name} is published on ${published}, after ${newer.name}.`,
      'Correct one of the two dates.',
    )
  }
  if (deprecated !== undefined && published !== undefined && deprecated < published) {
    say(
      'deprecated',
      `${name} is deprecated on ${deprecated}, before it is published.`,
      `Write a day from ${published}.`,
    )
  }
  if (sunset !== undefined && deprecated === undefined) {
    say('sunset', `${name} has a sunset, but its deprecation was never announced.`, "Add deprecated: '…'.")
  }
  if (sunset !== undefined && deprecated !== undefined && sunset < deprecated) {
    say(
      'sunset',
      `${name} ends on ${sunset}, before its deprecation is announced.`,
      `Write a day after ${deprecated}.`,
    )
  }
}

const checkOverlap = (
  { name, deprecated, sunset }: VersionDeclaration,
  newer: VersionDeclaration | undefined,
  say: Say,
): void => {
  if (sunset === undefined || deprecated === undefined || sunset < deprecated) return
  const { announced, earliest } = overlapOf(deprecated, newer?.published)
  if (earliest === null || sunset >= earliest) return
  say(
    'sunset',
    `${name} would end on ${sunset}, less than ${overlapMonths} calendar months after ${announced}.`,
    `Write "${earliest}" or later.`,
  )
}

/** The day from which both versions were served and the older one was deprecated, and the first day on which it may end. */
export const overlapOf = (deprecated: string, published: string | null | undefined) => {
  const announced = [deprecated, published ?? deprecated].sort().at(-1) ?? deprecated
  return { announced, earliest: monthsAfter(announced, overlapMonths) }
}

/** The same day so many months later, or the last day of that month where it has none: 31 August + 6 = 28 February. */
export const monthsAfter = (date: string, months: number): string | null => {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  if (!Number.isInteger(year) || !Number.isInteger(month) || !Number.isInteger(day)) return null
  const lastDay = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, lastDay))).toISOString().slice(0, 10)
}
