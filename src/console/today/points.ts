import {
  type CountedRoute,
  durationBounds,
  type Point,
  type ProcessCounts,
  type RouteToday,
} from './figures.ts'

export const emptyPoint = (at: number): Point => ({
  at,
  requests: 0,
  failed: 0,
  refused: 0,
  limited: 0,
  replays: 0,
  commits: 0,
  committed: 0,
  statements: 0,
  streams: 0,
  webhookSeconds: 0,
  jobs: 0,
  buckets: durationBounds.map(() => 0).concat(0),
})

/** A point, with what was counted since `before`. */
export const addedPoint = (point: Point, counted: ProcessCounts, before: ProcessCounts | null): Point => {
  const routes = differences(counted.routes, before?.routes ?? [])
  const sum = (of: (route: RouteDifference) => number): number =>
    routes.reduce((all, route) => all + of(route), 0)
  const since = (of: (one: ProcessCounts) => number): number => of(counted) - (before ? of(before) : 0)
  const { streams, webhookSeconds, jobs } = counted.now
  return {
    at: point.at,
    requests: point.requests + sum(({ calls }) => calls),
    failed: point.failed + sum(({ failed }) => failed),
    refused: point.refused + sum(({ refused }) => refused),
    limited: point.limited + sum(({ limited }) => limited),
    replays: point.replays + since(({ replays }) => replays),
    commits: point.commits + since(({ commits }) => commits),
    committed: point.committed + since(({ committed }) => committed),
    statements: point.statements + since(({ statements }) => statements),
    streams: Math.max(point.streams, streams),
    webhookSeconds: Math.max(point.webhookSeconds, webhookSeconds ?? 0),
    jobs: Math.max(point.jobs, (jobs?.waiting ?? 0) + (jobs?.running ?? 0)),
    buckets: point.buckets.map((count, slot) => count + sum(({ buckets }) => buckets[slot] ?? 0)),
  }
}

/** Points of the same ten seconds, of two processes. Every process counts the deliveries and the jobs of the whole store. */
export const mergedPoint = (a: Point, b: Point): Point => ({
  at: a.at,
  requests: a.requests + b.requests,
  failed: a.failed + b.failed,
  refused: a.refused + b.refused,
  limited: a.limited + b.limited,
  replays: a.replays + b.replays,
  commits: a.commits + b.commits,
  committed: a.committed + b.committed,
  statements: a.statements + b.statements,
  streams: a.streams + b.streams,
  webhookSeconds: Math.max(a.webhookSeconds, b.webhookSeconds),
  jobs: Math.max(a.jobs, b.jobs),
  buckets: a.buckets.map((count, slot) => count + (b.buckets[slot] ?? 0)),
})

/** What the routes have counted since then, those that took most time first. */
export const routesSince = (
  routes: readonly CountedRoute[],
  before: readonly CountedRoute[],
): readonly RouteToday[] =>
  differences(routes, before)
    .filter(({ calls }) => calls > 0)
    .map(({ calls: _, limited, refused, ...route }) => ({ ...route, refused: refused + limited }))
    .sort((a, b) => b.seconds - a.seconds)

type RouteName = Pick<CountedRoute, 'method' | 'version' | 'route'>

export const routeKey = ({ method, version, route }: RouteName): string => `${method} ${version} ${route}`

interface RouteDifference extends RouteToday {
  readonly calls: number
  readonly limited: number
}

const differences = (
  routes: readonly CountedRoute[],
  before: readonly CountedRoute[],
): readonly RouteDifference[] => {
  const known = new Map(before.map((route) => [routeKey(route), route]))
  return routes.map((route) => {
    const then = known.get(routeKey(route))
    const { method, route: path, version, seconds } = route
    const counts = (from: number, below: number): number => {
      let sum = 0
      for (const [status, count] of route.statuses)
        if (status >= from && status < below) sum += count - (then?.statuses.get(status) ?? 0)
      return sum
    }
    const limited = counts(429, 430)
    return {
      method,
      route: path,
      version,
      calls: counts(0, 1_000),
      failed: counts(500, 1_000),
      refused: counts(400, 500) - limited,
      limited,
      seconds: seconds - (then?.seconds ?? 0),
      buckets: Array.from(route.buckets, (count, slot) => count - (then?.buckets[slot] ?? 0)),
    }
  })
}

/** What several servers of one process have counted, such as one of its own and one in which it is mounted. They have one store. */
export const joinedCounts = (all: readonly ProcessCounts[]): ProcessCounts | null => {
  const [first, ...others] = all
  if (!first || others.length === 0) return first ?? null
  const sum = (of: (one: ProcessCounts) => number): number => all.reduce((total, one) => total + of(one), 0)
  const routes = Map.groupBy(
    all.flatMap((one) => one.routes),
    routeKey,
  )
  return {
    ...first,
    routes: [...routes.values()].map((same) => same.reduce(joinedRoutes)),
    replays: sum(({ replays }) => replays),
    now: { ...first.now, inFlight: sum(({ now }) => now.inFlight) },
  }
}

const joinedRoutes = (a: CountedRoute, b: CountedRoute): CountedRoute => {
  const statuses = new Map(a.statuses)
  for (const [status, count] of b.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
  const buckets = Array.from(a.buckets, (count, slot) => count + (b.buckets[slot] ?? 0))
  return { ...a, statuses, buckets, seconds: a.seconds + b.seconds }
}
