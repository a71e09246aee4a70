import {
  type CountedRoute,
  durationBounds,
  type Gauges,
  type Point,
  type ProcessCounts,
  type RequestCounts,
} from './figures.ts'

const noRequests: RequestCounts = {
  failed: 0,
  refused: 0,
  limited: 0,
  seconds: 0,
  buckets: [...durationBounds.map(() => 0), 0],
}

export const callsOf = ({ buckets }: RequestCounts): number => buckets.reduce((sum, count) => sum + count, 0)

/** Both together; with -1, what the first has more than the second. */
const joinedRequests = (a: RequestCounts, b: RequestCounts, sign: 1 | -1 = 1): RequestCounts => ({
  failed: a.failed + sign * b.failed,
  refused: a.refused + sign * b.refused,
  limited: a.limited + sign * b.limited,
  seconds: a.seconds + sign * b.seconds,
  buckets: a.buckets.map((count, slot) => count + sign * (b.buckets[slot] ?? 0)),
})

const routeKey = ({ method, version, route }: CountedRoute): string => `${method} ${version} ${route}`

const joinedRoute = (a: CountedRoute, b: CountedRoute): CountedRoute => ({ ...a, ...joinedRequests(a, b) })

/** The routes of several processes or servers, each once, those that took most time first. */
export const joinedRoutes = (routes: readonly CountedRoute[]): readonly CountedRoute[] =>
  [...Map.groupBy(routes, routeKey).values()]
    .map((same) => same.reduce(joinedRoute))
    .sort((a, b) => b.seconds - a.seconds)

/** What the routes have counted since then. */
export const routesSince = (
  routes: readonly CountedRoute[],
  before: readonly CountedRoute[],
): readonly CountedRoute[] => {
  const known = new Map(before.map((route) => [routeKey(route), route]))
  return routes
    .map((route) => ({ ...route, ...joinedRequests(route, known.get(routeKey(route)) ?? noRequests, -1) }))
    .filter((route) => callsOf(route) > 0)
}

const nothingInHand: Gauges = {
  inFlight: 0,
  streams: 0,
  lagMs: 0,
  connections: 0,
  busyConnections: 0,
  waiting: 0,
  webhookSeconds: null,
  jobs: null,
}

export const nothingCounted: ProcessCounts = {
  routes: [],
  replays: 0,
  commits: 0,
  committed: 0,
  statements: 0,
  now: nothingInHand,
}

/** What two servers of one process have counted, such as one of its own and one in which it is mounted. They have one store. */
export const joinedCounts = (a: ProcessCounts, b: ProcessCounts): ProcessCounts => ({
  ...b,
  routes: joinedRoutes([...a.routes, ...b.routes]),
  replays: a.replays + b.replays,
  now: { ...b.now, inFlight: a.now.inFlight + b.now.inFlight },
})

/** What was counted since `before`, as a point. */
export const pointSince = (at: number, counted: ProcessCounts, before: ProcessCounts): Point => {
  const { streams, webhookSeconds, jobs } = counted.now
  return {
    at,
    requests: routesSince(counted.routes, before.routes).reduce<RequestCounts>(
      (a, b) => joinedRequests(a, b),
      noRequests,
    ),
    replays: counted.replays - before.replays,
    commits: counted.commits - before.commits,
    committed: counted.committed - before.committed,
    statements: counted.statements - before.statements,
    streams,
    webhookSeconds: webhookSeconds ?? 0,
    jobs: (jobs?.waiting ?? 0) + (jobs?.running ?? 0),
  }
}

export const emptyPoint = (at: number): Point => pointSince(at, nothingCounted, nothingCounted)

/** Two parts of the same ten seconds. */
export const joinedPoint = (a: Point, b: Point): Point => ({
  at: a.at,
  requests: joinedRequests(a.requests, b.requests),
  replays: a.replays + b.replays,
  commits: a.commits + b.commits,
  committed: a.committed + b.committed,
  statements: a.statements + b.statements,
  streams: Math.max(a.streams, b.streams),
  webhookSeconds: Math.max(a.webhookSeconds, b.webhookSeconds),
  jobs: Math.max(a.jobs, b.jobs),
})

/** The same of two processes. Every process counts the deliveries and the jobs of the whole store, and streams of its own. */
export const mergedPoint = (a: Point, b: Point): Point => ({
  ...joinedPoint(a, b),
  streams: a.streams + b.streams,
})
