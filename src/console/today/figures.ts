import type { JobFigures } from '../../jobs/job-figures.ts'
import type { StatementTime } from '../../store/statement-times.ts'
import type { AnsweredRequest, LimitedConsumer } from '../requests/recent-requests.ts'

/** What a process has counted since it started. */
export interface ProcessCounts {
  readonly routes: readonly CountedRoute[]
  readonly replays: number
  readonly commits: number
  /** Transactions within those commits. */
  readonly committed: number
  readonly statements: number
  /** Levels at this moment, where the other members count since the start. */
  readonly now: Gauges
}

/** Counts of requests. */
export interface RequestCounts {
  /** 5xx. */
  readonly failed: number
  /** 4xx, without those that were rate limited. */
  readonly refused: number
  /** 429. */
  readonly limited: number
  readonly seconds: number
  /** How many took how long; the last is for those beyond all bounds. */
  readonly buckets: readonly number[]
}

/** Counts of one method, route and version. */
export interface CountedRoute extends RequestCounts {
  readonly method: string
  readonly route: string
  readonly version: string
}

export interface Gauges {
  readonly inFlight: number
  readonly streams: number
  /** How late the last timer came. */
  readonly lagMs: number
  readonly connections: number
  readonly busyConnections: number
  /** Work that waits for the store. */
  readonly waiting: number
  /** The age of the oldest delivery that is still to be made; null where the API has no webhooks. */
  readonly webhookSeconds: number | null
  /** The jobs of the whole store; null where the API has none. */
  readonly jobs: JobFigures | null
}

/** The upper bounds of the buckets, in seconds. */
export const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** How long a point of the pictures is. */
export const pointMs = 10_000
/** Ten minutes. */
export const mostPoints = 60

/** What happened in ten seconds. Points of several processes are of the same ten seconds. */
export interface Point {
  /** When they began. */
  readonly at: number
  readonly requests: RequestCounts
  readonly replays: number
  readonly commits: number
  readonly committed: number
  readonly statements: number
  readonly streams: number
  readonly webhookSeconds: number
  /** Jobs that wait or run. */
  readonly jobs: number
}

/** What a process shows of itself, and leaves in the store for the others. */
export interface Figures {
  readonly process: string
  readonly startedAt: number
  /** Since when `routes`, `limited` and `statements` count: midnight in UTC, or the start of the process. */
  readonly since: number
  readonly at: number
  readonly now: Gauges
  readonly points: readonly Point[]
  /** Those that took most time, first. */
  readonly routes: readonly CountedRoute[]
  readonly limited: readonly LimitedConsumer[]
  /** Those that took most time, first. */
  readonly statements: readonly StatementTime[]
  /** The last requests that were refused or failed. */
  readonly wrong: readonly AnsweredRequest[]
}
