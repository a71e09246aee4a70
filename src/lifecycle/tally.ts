import type { Clock } from '../clock.ts'
import type { DetailKind } from '../compile/change-kinds/usage-traces.ts'
import type { Version, View } from '../compile/model.ts'
import { dayMs, dayOf } from '../times.ts'
import type { CountRow } from './count-tables.ts'
import type { SentSignal } from './sent-signals.ts'
import { anonymous, refused } from './stand-in-consumers.ts'
import { nothingUsed, type UsageRecorder, type Use, type Uses } from './use.ts'

export interface TakenCounts {
  /** `[account, consumer, version, day, operation, calls, last seen]` */
  readonly usage: readonly CountRow[]
  /** `[account, consumer, version, day, resource, kind, name, calls, last seen]` */
  readonly details: readonly CountRow[]
  /** Signals that this process sent for the first time. */
  readonly signals: readonly SentSignal[]
}

/** How many rows are counted between two flushes. */
export interface TallyLimits {
  /** Beyond these, calls that would need another row count as anonymous. */
  readonly usage: number
  /** Beyond these, no new details are counted; calls still are. */
  readonly details: number
}

const defaultLimits: TallyLimits = { usage: 20_000, details: 50_000 }

/** By the columns of their keys, a line each: no name of an account, a consumer or a part of a declaration has a line break. */
type Counts = Map<string, { calls: number; lastSeen: number }>

/** Counts calls in memory, until the recorder takes the counts (recorder.ts says how). Clients cannot make it grow: names must be known to the view, and consumers authenticated. */
export class Tally implements UsageRecorder {
  readonly #clock: Clock
  readonly #limits: TallyLimits
  readonly #flushSoon: () => void
  /** When each version's signal was first sent by this process. */
  readonly #signalledAt = new Map<Version, number>()
  #signalsToTake: Version[] = []
  #day = ''
  #dayStart = Number.NEGATIVE_INFINITY
  #usage: Counts = new Map()
  #details: Counts = new Map()

  /** `flushSoon` is called when half of a limit is used up before the next `take`. */
  constructor(clock: Clock, limits: TallyLimits = defaultLimits, flushSoon: () => void = () => {}) {
    this.#clock = clock
    this.#limits = limits
    this.#flushSoon = flushSoon
  }

  /** How many counts are held. */
  get size(): number {
    return this.#usage.size + this.#details.size
  }

  count(method: string, status: number, { target, caller, uses }: Use): void {
    if (!target) return
    const who = caller ? caller.consumer.id : whoWithoutCredentials(method, status)
    if (who === null) return
    const now = this.#clock.now()
    const operation = `${methods.has(method) ? method : 'OTHER'} ${target.template}`
    const when = `${target.version.name}\n${this.#dayAt(now)}`
    let by = `${caller?.account ?? ''}\n${who}\n${when}`
    if (!this.#add(this.#usage, `${by}\n${operation}`, now, this.#limits.usage)) {
      by = `\n${anonymous}\n${when}`
      this.#add(this.#usage, `${by}\n${operation}`, now)
    }
    if (uses !== nothingUsed) this.#countDetails(by, target.view, uses, now)
  }

  signalled(version: Version): void {
    if (this.#signalledAt.has(version)) return
    this.#signalledAt.set(version, this.#clock.now())
    this.#signalsToTake.push(version)
  }

  /** Everything counted since the last time, as rows. Counting starts from zero again. */
  take(): TakenCounts {
    const signals = this.#signalsToTake.map((version) => ({
      version: version.name,
      firstSentAt: this.#signalledAt.get(version) ?? 0,
      sunset: version.sunset?.date ?? null,
    }))
    const taken = { usage: rowsOf(this.#usage), details: rowsOf(this.#details), signals }
    this.#usage = new Map()
    this.#details = new Map()
    this.#signalsToTake = []
    return taken
  }

  #dayAt(now: number): string {
    if (now < this.#dayStart || now >= this.#dayStart + dayMs) {
      this.#dayStart = now - (now % dayMs)
      this.#day = dayOf(now)
    }
    return this.#day
  }

  #countDetails(by: string, view: View, uses: Uses, now: number): void {
    for (const path of uses.include) this.#countName(by, view, 'include', path, now)
    for (const name of uses.filters) this.#countName(by, view, 'filter', name, now)
    for (const name of uses.sorts) this.#countName(by, view, 'sort', name, now)
    for (const name of uses.fields) this.#countName(by, view, 'field', name, now)
    for (const part of uses.lists) this.#countName(by, view, 'list', part, now)
  }

  #countName(by: string, view: View, kind: DetailKind, name: string, now: number): void {
    if (isKnown(view, kind, name))
      this.#add(this.#details, `${by}\n${view.name}\n${kind}\n${name}`, now, this.#limits.details)
  }

  /** False where there is no count with the key yet, and there are `most` already. */
  #add(counts: Counts, key: string, now: number, most = Number.POSITIVE_INFINITY): boolean {
    const count = counts.get(key)
    if (count) {
      count.calls++
      count.lastSeen = now
      return true
    }
    if (counts.size >= most) return false
    counts.set(key, { calls: 1, lastSeen: now })
    if (counts.size === most >> 1) this.#flushSoon()
    return true
  }
}

/** Sorted by key, so that processes that write the same rows at once lock them in the same order. */
const rowsOf = (counts: Counts): readonly CountRow[] =>
  [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { calls, lastSeen }]): CountRow => [...key.split('\n'), calls, lastSeen])

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Null where the call used nothing of the version: OPTIONS and 405 are answered before authentication. */
const whoWithoutCredentials = (method: string, status: number): string | null => {
  if (status === 401 || status === 410 || status === 429 || status >= 500) return refused
  return method === 'OPTIONS' || status === 405 ? null : anonymous
}

const isKnown = (view: View, kind: DetailKind, name: string): boolean => {
  if (kind === 'include') return view.includePaths.includes(name)
  if (kind === 'filter') return view.filters.has(name)
  if (kind === 'list') return true
  return view.field.has(name)
}
