import { Cron } from 'croner'
import type { EveryDeclaration, JobDeclaration, JobDeclarations, Schedule } from '../../declare/job.ts'
import { dayMs, hourMs, minuteMs, readDuration, secondMs } from '../../times.ts'
import { type MistakeList, type Note, shownValue } from '../mistakes.ts'
import type { JobModel, RegularJob } from '../model.ts'

const usualRetries = [5 * secondMs, 30 * secondMs, 5 * minuteMs, hourMs, 6 * hourMs]
const usualWithin = 15 * minuteMs
const mostRetries = 50
const longestMs = 365 * dayMs
const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,99}$/

/** The declared jobs by their names; those with mistakes are left out. */
export const compileJobs = (
  declared: JobDeclarations,
  mistakes: MistakeList,
): ReadonlyMap<string, JobModel> => {
  const jobs = new Map<string, JobModel>()
  for (const [name, declaration] of Object.entries(declared)) {
    // It was reported already.
    if (!declaration) continue
    const where = `jobs.${name}`
    if (!namePattern.test(name))
      mistakes.add(where, `"${name}" is not a name of a job.`, 'Write letters and digits, such as "remind".')
    const job =
      declaration.kind === 'job' ? queued(name, declaration, mistakes) : regular(name, declaration, mistakes)
    if (job) jobs.set(name, job)
  }
  return jobs
}

const queued = (name: string, declaration: JobDeclaration, mistakes: MistakeList): JobModel | null => {
  const { retries } = declaration
  const where = `jobs.${name}.retries`
  if (retries && retries.length > mostRetries)
    return mistakes.add(where, `it has ${retries.length} waits.`, `Write ${mostRetries} at most.`)
  const retriesMs =
    retries?.map((text, at) => duration(text, 0, mistakes.at(`${where}[${at}]`))) ?? usualRetries
  const withinMs = within(name, declaration, mistakes)
  return { kind: 'queued', name, declaration, retriesMs, withinMs }
}

const regular = (name: string, declaration: EveryDeclaration, mistakes: MistakeList): JobModel | null => {
  const nextAfter = nextOf(declaration.schedule, mistakes.at(`jobs.${name}.schedule`))
  const withinMs = within(name, declaration, mistakes)
  return nextAfter && { kind: 'regular', name, declaration, withinMs, nextAfter }
}

const within = (
  name: string,
  declaration: JobDeclaration | EveryDeclaration,
  mistakes: MistakeList,
): number =>
  declaration.within === undefined
    ? usualWithin
    : duration(declaration.within, secondMs, mistakes.at(`jobs.${name}.within`))

/** In milliseconds; 0 after a mistake. */
const duration = (text: string, least: number, note: Note): number => {
  const ms = /^\d/.test(text) ? readDuration(text) : null
  if (ms !== null && ms >= least && ms <= longestMs) return ms
  note(`${shownValue(text)} is not a length of time here.`, 'Write 1s to 365d, such as 30s, 5m or 6h.')
  return 0
}

const nextOf = (schedule: Schedule, note: Note): RegularJob['nextAfter'] | null => {
  if (typeof schedule === 'string') {
    const everyMs = duration(schedule, secondMs, note)
    return (now, due = now) => due + (Math.floor((now - due) / everyMs) + 1) * everyMs
  }
  const { cron, zone = 'UTC' } = schedule
  const next = (now: number): number | null => timetable.nextRun(new Date(now))?.getTime() ?? null
  let timetable: Cron
  try {
    timetable = new Cron(cron, { timezone: zone, paused: true })
    // An unknown zone is found out when a time is computed.
    if (next(Date.now()) === null)
      return note(`"${cron}" names no time in the future.`, "Write one such as '0 3 * * *'.")
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return note(
      `"${cron}" in the time zone "${zone}" cannot be read: ${why}.`,
      "Write it like { cron: '0 3 * * *', zone: 'Europe/Berlin' }: minute, hour, day, month, weekday.",
    )
  }
  // Years from now there may be none left.
  return (now) => next(now) ?? now + longestMs
}
