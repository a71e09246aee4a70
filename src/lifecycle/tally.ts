import type { Clock } from '../clock.ts'
import type { Version, View } from '../compile/model.ts'
import type { Target } from '../request/route.ts'
import { dayMs, dayOf } from '../times.ts'
import {
  addRows,
  type ConsumerCounts,
  type Count,
  type DayCounts,
  type DetailCounts,
  type DetailKind,
  type DetailRow,
  newRows,
  type OperationCount,
  type UsageRow,
} from './counts.ts'
import type { SentSignal } from './sent-signals.ts'
import { nothingUsed, type UsageRecorder, type Uses } from './use.ts'
import { anonymous, refused } from './who.ts'

export interface Taken {
  readonly usage: readonly UsageRow[]
  readonly details: readonly DetailRow[]
  /** Of versions whose signal was sent for the first time by this process. */
  readonly signals: readonly SentSignal[]
}

export interface Tally extends UsageRecorder {
  /** Everything counted since the last time, as rows; counting begins anew. */
  take(): Taken
  /** How many counts are held. */
  readonly size: number
}

export interface TallyLimits {
  /** Beyond these, calls count as anonymous until the next flush. */
  readonly consumers: number
  /** Beyond these, no more details are noted until the next flush; calls still are. */
  readonly counts: number
}

const defaultLimits: TallyLimits = { consumers: 5_000, counts: 50_000 }

/** Counts uses in memory. What clients send never grows it: names must be known to the view, consumers authenticated. */
export const createTally = (
  clock: Clock,
  limits: TallyLimits = defaultLimits,
  crowded: () => void = () => {},
): Tally => {
  let today: DayCounts = new Map()
  let dayStart = 0
  let consumers = 0
  let counts = 0
  let rows = newRows()
  const signalled = new Map<Version, number>()
  let untold: Version[] = []

  /** Counts of a day that is over leave as rows of that day. */
  const closeDay = (): void => {
    if (today.size > 0) addRows(today, dayOf(dayStart), rows)
    today = new Map()
    consumers = 0
    counts = 0
  }

  const consumerOf = (version: Version, account: string, consumer: string): ConsumerCounts => {
    const accounts = entry(today, version, newMap<string, Map<string, ConsumerCounts>>)
    const known = accounts.get(account)?.get(consumer)
    if (known) return known
    if (consumers >= limits.consumers && account !== '') return consumerOf(version, '', anonymous)
    consumers++
    if (consumers === limits.consumers >> 1) crowded()
    const made = { account, consumer, operations: new Map(), details: new Map() }
    entry(accounts, account, newMap<string, ConsumerCounts>).set(consumer, made)
    return made
  }

  const countOperation = (of: ConsumerCounts, target: Target, method: string, now: number): void => {
    const places = entry(of.operations, target.sub ?? target.view, newArray<OperationCount | undefined>)
    const at = (methodPlaces.get(method) ?? otherPlace) + (target.id === null ? 0 : 1)
    const count = places[at]
    if (count) {
      count.calls++
      count.lastSeen = now
      return
    }
    counts++
    const word = methodPlaces.has(method) ? method : 'OTHER'
    places[at] = { operation: `${word} ${target.template}`, calls: 1, lastSeen: now }
  }

  const countDetails = (of: ConsumerCounts, view: View, uses: Uses, now: number): void => {
    const details = entry(of.details, view, newDetails)
    for (const path of uses.include) countName(details.include, view, 'include', path, now)
    for (const name of uses.filters) countName(details.filter, view, 'filter', name, now)
    for (const name of uses.sorts) countName(details.sort, view, 'sort', name, now)
    for (const name of uses.fields) countName(details.field, view, 'field', name, now)
  }

  const countName = (
    of: Map<string, Count>,
    view: View,
    kind: DetailKind,
    name: string,
    now: number,
  ): void => {
    const count = of.get(name)
    if (count) {
      count.calls++
      count.lastSeen = now
    } else if (counts < limits.counts && isKnown(view, kind, name)) {
      counts++
      if (counts === limits.counts >> 1) crowded()
      of.set(name, { calls: 1, lastSeen: now })
    }
  }

  return {
    count(method, status, { target, caller, uses }) {
      if (!target) return
      const who = caller ? caller.consumer.id : whoWithoutCredentials(method, status)
      if (who === null) return
      const now = clock.now()
      if (now < dayStart || now >= dayStart + dayMs) {
        closeDay()
        dayStart = now - (now % dayMs)
      }
      const of = consumerOf(target.version, caller?.account ?? '', who)
      countOperation(of, target, method, now)
      if (uses !== nothingUsed) countDetails(of, target.view, uses, now)
    },
    signalled(version) {
      if (signalled.has(version)) return
      signalled.set(version, clock.now())
      untold.push(version)
    },
    take() {
      closeDay()
      const signals = untold.map((version) => ({
        version: version.name,
        firstSentAt: signalled.get(version) ?? 0,
        sunset: version.sunset?.date ?? null,
      }))
      const taken = { ...rows, signals }
      rows = newRows()
      untold = []
      return taken
    },
    get size() {
      return consumers + counts + rows.usage.length + rows.details.length
    },
  }
}

const methodPlaces: ReadonlyMap<string, number> = new Map(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method, index) => [method, index * 2]),
)
const otherPlace = methodPlaces.size * 2

/** Null where nothing of the version was used: OPTIONS and 405 are answered before anyone asks who calls. */
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
