import type { Clock } from '../../clock.ts'
import { newProcessId } from '../../store/process-id.ts'
import type { StatementTimes } from '../../store/statement-times.ts'
import type { Store } from '../../store/store.ts'
import { dayMs, minuteMs } from '../../times.ts'
import type { RecentRequests } from '../requests/recent-requests.ts'
import {
  type CountedRoute,
  type Figures,
  mostPoints,
  type Point,
  type ProcessCounts,
  pointMs,
} from './figures.ts'
import { leaveFigures, readLeftFigures, takeFiguresAway } from './left-figures.ts'
import { callsOf, joinedCounts, joinedPoint, nothingCounted, pointSince, routesSince } from './points.ts'

/** How often a process looks at its counts, and leaves them in the store where anything has happened. */
const beatMs = 5_000
/** What has not changed is written again after so long while the process has anything in hand, so that others see that it lives. */
const heardMs = minuteMs
const mostRoutes = 50
const mostStatements = 10

export interface FigureParts {
  readonly store: Store
  readonly clock: Clock
  readonly statements: StatementTimes
  readonly recent: RecentRequests
  /** Whether there is anybody to see them. */
  readonly hasOperators: () => Promise<boolean>
  /** Null where the caller calls `beat` itself. */
  readonly everyMs?: number | null | undefined
}

/**
 * What the pages of operators show of a process. Requests pay nothing for it: every five seconds it looks at what the metrics have counted. What
 * has happened since is added to points of ten seconds each, and left in the store for the other processes.
 */
export class ProcessFigures {
  readonly #id = newProcessId()
  readonly #parts: FigureParts
  readonly #startedAt: number
  readonly #servers: (() => ProcessCounts)[] = []
  #before: ProcessCounts = nothingCounted
  #points: readonly Point[] = []
  /** The counts of the routes at midnight. */
  #atMidnight: readonly CountedRoute[] = []
  #since: number
  /** How many requests were answered, now and when the row was written last. */
  #answered = 0
  #left = { at: Number.NEGATIVE_INFINITY, answered: 0 }
  #hasRow = false
  #hasOperators = false
  #askedForOperatorsAt = Number.NEGATIVE_INFINITY
  readonly #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(parts: FigureParts) {
    this.#parts = parts
    this.#startedAt = parts.clock.now()
    this.#since = this.#startedAt
    const { everyMs = beatMs } = parts
    if (everyMs !== null) this.#timer = setInterval(() => void this.beat(), everyMs).unref()
  }

  get id(): string {
    return this.#id
  }

  /** Where counts come from: a server of the process, which has counted nothing yet. */
  attach(count: () => ProcessCounts): void {
    this.#servers.push(count)
  }

  /** Looks at the counts, and leaves them in the store where anything has happened. */
  beat(): Promise<void> {
    this.#running = this.#running.then(() => this.#beatOnce())
    return this.#running
  }

  /** This process as it is now. */
  own(): Figures {
    const { clock, statements, recent } = this.#parts
    const counted = this.#look()
    return {
      process: this.#id,
      startedAt: this.#startedAt,
      since: this.#since,
      at: clock.now(),
      now: counted.now,
      points: this.#points,
      routes: routesSince(counted.routes, this.#atMidnight).slice(0, mostRoutes),
      limited: recent.limited(),
      statements: statements.slowest(mostStatements),
      wrong: recent.wrong(),
    }
  }

  /** The other processes of the store, as they were a few seconds ago. */
  others(): Promise<readonly Figures[]> {
    return readLeftFigures(this.#parts.store, this.#parts.clock.now(), this.#id)
  }

  /** The text of a statement that this process has sent. */
  statement(isWanted: (text: string) => boolean): string | null {
    return this.#parts.statements.find(isWanted)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
    const hadRow = this.#hasRow
    this.#hasRow = false
    // A row that stays is not shown after an hour, and deleted by the next process that starts.
    if (hadRow) await takeFiguresAway(this.#parts.store, this.#id, this.#parts.clock.now()).catch(() => {})
  }

  /** Adds what was counted since the last look to the point of the present. */
  #look(): ProcessCounts {
    const now = this.#parts.clock.now()
    this.#beginDay(now)
    const counted = this.#servers.map((count) => count()).reduce(joinedCounts, nothingCounted)
    const at = now - (now % pointMs)
    const added = pointSince(at, counted, this.#before)
    const calls = callsOf(added.requests)
    const open = this.#points.find((one) => one.at === at)
    const kept = this.#points.filter((one) => one.at > at - mostPoints * pointMs && one !== open)
    const isNothing = !open && calls === 0 && isAtRest(counted.now)
    if (open) this.#points = [...kept, joinedPoint(open, added)]
    else this.#points = isNothing ? kept : [...kept, added]
    this.#answered += calls
    this.#before = counted
    return counted
  }

  #beginDay(now: number): void {
    const midnight = now - (now % dayMs)
    if (this.#since >= midnight) return
    this.#since = midnight
    this.#atMidnight = this.#before.routes
    this.#parts.statements.forget()
    this.#parts.recent.forgetLimited()
  }

  /** Without operators, nobody can open the console. */
  async #isSeen(now: number): Promise<boolean> {
    if (this.#hasOperators) return true
    if (now - this.#askedForOperatorsAt < heardMs) return false
    this.#askedForOperatorsAt = now
    this.#hasOperators = await this.#parts.hasOperators().catch(() => false)
    return this.#hasOperators
  }

  async #beatOnce(): Promise<void> {
    const figures = this.own()
    const { at } = figures
    const answered = this.#answered
    const isNew = answered !== this.#left.answered
    const isDue = !isAtRest(figures.now) && at - this.#left.at >= heardMs
    if ((!isNew && !isDue) || !(await this.#isSeen(at))) return
    try {
      if (!this.#hasRow) await takeFiguresAway(this.#parts.store, this.#id, at)
      await leaveFigures(this.#parts.store, figures)
      this.#hasRow = true
      this.#left = { at, answered }
    } catch {
      // The store is away, which is logged by those who need it. The next beat writes all of it.
    }
  }
}

const isAtRest = ({ inFlight, streams, webhookSeconds, jobs }: Figures['now']): boolean =>
  inFlight === 0 && streams === 0 && !webhookSeconds && !jobs?.waiting && !jobs?.running
