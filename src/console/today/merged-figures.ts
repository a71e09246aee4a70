import { minuteMs } from '../../times.ts'
import type { AnsweredRequest, LimitedConsumer } from '../requests/recent-requests.ts'
import { type Figures, type Gauges, mostPoints, type Point, pointMs } from './figures.ts'
import { emptyPoint, joinedRoutes, mergedPoint } from './points.ts'

/** What the page shows, of one process or of all. */
export interface MergedFigures extends Pick<Figures, 'now' | 'points' | 'routes' | 'limited' | 'statements'> {
  /** Since when the first of them counts. */
  readonly since: number
}

/** A process with something in hand is heard at least once a minute: of one that was not, nothing is known. */
const heardMs = 1.5 * minuteMs

/** Sixty points of ten seconds up to now, those without requests too. The one that is not over is left out. */
export const mergedFigures = (processes: readonly Figures[], now: number): MergedFigures => ({
  since: Math.min(...processes.map(({ since }) => since)),
  points: mergedPoints(processes, now),
  routes: joinedRoutes(processes.flatMap(({ routes }) => routes)),
  limited: added(
    processes.flatMap(({ limited }) => limited),
    ({ account, consumer }) => JSON.stringify([account, consumer]),
    addedLimited,
  ).sort((a, b) => b.calls - a.calls),
  statements: added(
    processes.flatMap(({ statements }) => statements),
    ({ text }) => text,
    (a, b) => ({
      text: a.text,
      calls: a.calls + b.calls,
      ms: a.ms + b.ms,
      longestMs: Math.max(a.longestMs, b.longestMs),
    }),
  ).sort((a, b) => b.ms - a.ms),
  now: processes
    .filter(({ at }) => at >= now - heardMs)
    .map((one) => one.now)
    .reduce(addedGauges),
})

/** The requests of other processes that went wrong, with the process that answered each. */
export const wrongOf = (
  others: readonly Figures[],
): readonly (AnsweredRequest & { readonly process: string })[] =>
  others.flatMap(({ process, wrong }) => wrong.map((one) => ({ ...one, process })))

const mergedPoints = (processes: readonly Figures[], now: number): readonly Point[] => {
  const present = now - (now % pointMs)
  const slots = Array.from({ length: mostPoints }, (_, at) =>
    emptyPoint(present - (mostPoints - at) * pointMs),
  )
  const given = Map.groupBy(
    processes.flatMap(({ points }) => points),
    ({ at }) => at,
  )
  return slots.map((empty) => (given.get(empty.at) ?? []).reduce(mergedPoint, empty))
}

/** Adds up the entries that have the same key. */
const added = <T>(all: readonly T[], keyOf: (one: T) => string, add: (a: T, b: T) => T): T[] =>
  [...Map.groupBy(all, keyOf).values()].map((same) => same.reduce(add))

const addedLimited = (a: LimitedConsumer, b: LimitedConsumer): LimitedConsumer => ({
  ...a,
  calls: a.calls + b.calls,
  lastAt: Math.max(a.lastAt, b.lastAt),
})

const addedGauges = (a: Gauges, b: Gauges): Gauges => ({
  inFlight: a.inFlight + b.inFlight,
  streams: a.streams + b.streams,
  lagMs: Math.max(a.lagMs, b.lagMs),
  connections: a.connections + b.connections,
  busyConnections: a.busyConnections + b.busyConnections,
  waiting: a.waiting + b.waiting,
  webhookSeconds:
    a.webhookSeconds === null ? b.webhookSeconds : Math.max(a.webhookSeconds, b.webhookSeconds ?? 0),
  // Every process counts the jobs of the whole store; one that runs none has counted none.
  jobs:
    (a.jobs?.waiting ?? 0) + (a.jobs?.running ?? 0) >= (b.jobs?.waiting ?? 0) + (b.jobs?.running ?? 0)
      ? (a.jobs ?? b.jobs)
      : b.jobs,
})
