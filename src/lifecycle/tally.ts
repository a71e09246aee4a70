import type { Target } from '../call/target.ts'
import type { Clock } from '../clock.ts'
import type { DetailKind } from '../compile/change-kinds/usage-traces.ts'
import type { Version, View } from '../compile/model.ts'
import { dayMs, dayOf } from '../times.ts'
import {
  addRows,
  anonymous,
  type ConsumerCounts,
  type DayCounts,
  type DetailCounts,
  type DetailRow,
  newRows,
  type OperationCount,
  refused,
  type UsageRow,
} from './counts.ts'
import type { SentSignal } from './sent-signals.ts'
import { nothingUsed, type UsageRecorder, type Use, type Uses } from './use.ts'

export interface TakenCounts {
  readonly usage: readonly UsageRow[]
  readonly details: readonly DetailRow[]
  /** Signals that this process sent for the first time. */
  readonly signals: readonly SentSignal[]
}

export interface TallyLimits {
  /** Beyond these, calls count as anonymous until the next flush. */
  readonly consumers: number
  /** Beyond these, no new details are counted until the next flush; calls still are. */
  readonly counts: number
}

const defaultLimits: TallyLimits = { consumers: 5_000, counts: 50_000 }

/** Counts calls in memory, until the recorder takes the counts (recorder.ts says how). Clients cannot make it grow: names must be known to the view, and consumers authenticated. */
export class Tally implements UsageRecorder {
  readonly #clock: Clock
  readonly #limits: TallyLimits
  readonly #flushSoon: () => void
  /** When each version's signal was first sent by this process. */
  readonly #signalledAt = new Map<Version, number>()
  #signalsToTake: Version[] = []
  #today: DayCounts = new Map()
  #dayStart = 0
  #consumers = 0
  #counts = 0
  #rows = newRows()

  /** `flushSoon` is called when half of a limit is used up before the next `take`. */
  constructor(clock: Clock, limits: TallyLimits = defaultLimits, flushSoon: () => void = () => {}) {
    this.#clock = clock
    this.#limits = limits
    this.#flushSoon = flushSoon
  }

  /** How many counts are held. */
  get size(): number {
    return this.#consumers + this.#counts + this.#rows.usage.length + this.#rows.details.length
  }

  count(method: string, status: number, { target, caller, uses }: Use): void {
    if (!target) return
    const who = caller ? caller.consumer.id : whoWithoutCredentials(method, status)
    if (who === null) return
    const now = this.#clock.now()
    if (now < this.#dayStart || now >= this.#dayStart + dayMs) {
      this.#closeDay()
      this.#dayStart = now - (now % dayMs)
    }
    const of = this.#consumerOf(target.version, caller?.account ?? '', who)
    this.#countOperation(of, target, method, now)
    if (uses !== nothingUsed) this.#countDetails(of, target.view, uses, now)
  }

  signalled(version: Version): void {
    if (this.#signalledAt.has(version)) return
    this.#signalledAt.set(version, this.#clock.now())
    this.#signalsToTake.push(version)
  }

  /** Everything counted since the last time, as rows. Counting starts from zero again. */
  take(): TakenCounts {
    this.#closeDay()
    const signals = this.#signalsToTake.map((version) => ({
      version: version.name,
      firstSentAt: this.#signalledAt.get(version) ?? 0,
      sunset: version.sunset?.date ?? null,
    }))
    const taken = { ...this.#rows, signals }
    this.#rows = newRows()
    this.#signalsToTake = []
    return taken
  }

  /** Turns the counts of the day that ended into rows. */
  #closeDay(): void {
    if (this.#today.size > 0) addRows(this.#today, dayOf(this.#dayStart), this.#rows)
    this.#today = new Map()
    this.#consumers = 0
    this.#counts = 0
  }

  #consumerOf(version: Version, account: string, consumer: string): ConsumerCounts {
    const accounts = entry(this.#today, version, newMap<string, Map<string, ConsumerCounts>>)
    const known = accounts.get(account)?.get(consumer)
    if (known) return known
    if (this.#consumers >= this.#limits.consumers && account !== '')
      return this.#consumerOf(version, '', anonymous)
    this.#consumers++
    if (this.#consumers === this.#limits.consumers >> 1) this.#flushSoon()
    const made = { account, consumer, operations: new Map(), details: new Map() }
    entry(accounts, account, newMap<string, ConsumerCounts>).set(consumer, made)
    return made
  }

  #countOperation(of: ConsumerCounts, target: Target, method: string, now: number): void {
    const slots = entry(of.operations, target.sub ?? target.view, newArray<OperationCount | undefined>)
    const slot = (methodSlots.get(method) ?? otherSlot) + (target.id === null ? 0 : 1)
    const count = slots[slot]
    if (count) {
      count.calls++
      count.lastSeen = now
      return
    }
    this.#counts++
    const name = methodSlots.has(method) ? method : 'OTHER'
    slots[slot] = { operation: `${name} ${target.template}`, calls: 1, lastSeen: now }
  }

  #countDetails(of: ConsumerCounts, view: View, uses: Uses, now: number): void {
    const details = entry(of.details, view, newDetails)
    for (const path of uses.include) this.#countName(details, view, 'include', path, now)
    for (const name of uses.filters) this.#countName(details, view, 'filter', name, now)
    for (const name of uses.sorts) this.#countName(details, view, 'sort', name, now)
    for (const name of uses.fields) this.#countName(details, view, 'field', name, now)
  }

  #countName(details: DetailCounts, view: View, kind: DetailKind, name: string, now: number): void {
    const count = details[kind].get(name)
    if (count) {
      count.calls++
      count.lastSeen = now
    } else if (this.#counts < this.#limits.counts && isKnown(view, kind, name)) {
      this.#counts++
      if (this.#counts === this.#limits.counts >> 1) this.#flushSoon()
      details[kind].set(name, { calls: 1, lastSeen: now })
    }
  }
}

/** Two slots for each method: the collection, and one row of it. */
const methodSlots: ReadonlyMap<string, number> = new Map(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method, index) => [method, index * 2]),
)
const otherSlot = methodSlots.size * 2

/** Null where the call used nothing of the version: OPTIONS and 405 are answered before authentication. */
const whoWithoutCredentials = (method: string, status: number): string | null => {
  if (status === 401 || status === 410 || status === 429 || status >= 500) return refused
  return method === 'OPTIONS' || status === 405 ? null : anonymous
}

const isKnown = (view: View, kind: DetailKind, name: string): boolean => {
  if (kind === 'include') return view.includePaths.includes(name)
  if (kind === 'filter') return view.filters.has(name)
  return view.field.has(name)
}

const newMap = <K, V>(): Map<K, V> => new Map()
const newArray = <T>(): T[] => []
const newDetails = (): DetailCounts => ({
  include: new Map(),
  filter: new Map(),
  sort: new Map(),
  field: new Map(),
})

const entry = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
