import { setImmediate } from 'node:timers/promises'
import type { Filter } from '../call/query.ts'
import type { Model, Version } from '../compile/model.ts'
import { eventNamesOf, type HeadForm } from '../events/head-form.ts'
import { type EventJudge, permittedEvents } from '../events/permitted-events.ts'
import type { Audience } from '../events/show-event.ts'
import { operators } from '../kinds/operators.ts'
import {
  type EntryCondition,
  lastLookedAt,
  mostLookedAt,
  selectEntries,
  selectEntry,
} from '../plan/audit-reads.ts'
import { padded } from '../plan/compared-values.ts'
import { allRows } from '../store/run-statement.ts'
import type { Store, Value } from '../store/store.ts'
import { type AuditRow, auditRow } from './audit-row.ts'
import { type AuditEntry, showEntry } from './show-entry.ts'

/** What reading entries needs, made once per service. */
export interface AuditReader extends EventJudge {
  readonly store: Store
}

/** For whom entries are read, and in whose words. */
export interface AuditSight {
  readonly account: string
  readonly version: Version
  readonly audience: Audience
}

export type AuditFilter = Pick<Filter, 'name' | 'operator' | 'values' | 'shown'>

/** Which entries are read, and how much of them. */
export interface AuditSelection {
  readonly filters: readonly AuditFilter[]
  readonly descending: boolean
  /** Where the page before has ended. */
  readonly after: string | null
  readonly limit: number
  readonly bytes: number
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** Where the next page goes on; null at the end. */
  readonly next: string | null
}

/** Ids are hexadecimal, so that all are before it. */
const afterAll = 'g'

/** At most so many pieces are read for one page. Where a caller is shown few of them, a page may be short and have a next one. */
const mostReads = 10

const batch = 500

/** One page of the entries that are asked for. */
export async function auditPage(
  reader: AuditReader,
  sight: AuditSight,
  selection: AuditSelection,
): Promise<AuditPage> {
  const { descending, limit, bytes: mostBytes } = selection
  const conditions = storedConditions(reader.model, sight.version, selection.filters)
  const entries: AuditEntry[] = []
  let [bytes, at] = [0, selection.after]
  for (let reads = 0; reads < mostReads; reads++) {
    // SQLite answers at once, so that a search among many hidden entries would let nobody else in.
    if (reads > 0) await setImmediate()
    const found = await readEntries(reader.store, sight.account, conditions, {
      span: spanOf(selection, at),
      descending,
      limit: reads === 0 ? limit + 1 : batch,
      bytes: mostBytes,
    })
    for (const [index, entry] of (await shownEntries(reader, sight, found.rows)).entries()) {
      const { id } = found.rows[index] ?? { id: '' }
      if (entry) {
        bytes += JSON.stringify(entry).length
        if (entries.length === limit || (entries.length > 0 && bytes > mostBytes))
          return { entries, next: at }
        entries.push(entry)
      }
      at = id
    }
    if (found.next === null) return { entries, next: null }
    at = found.next
  }
  return { entries, next: at }
}

export async function auditEntry(
  reader: AuditReader,
  sight: AuditSight,
  id: string,
): Promise<AuditEntry | null> {
  const { store } = reader
  const [row] = await allRows(store, selectEntry(store.dialect, sight.account, id), sight.account)
  const [entry = null] = row ? await shownEntries(reader, sight, [auditRow(row)]) : []
  return entry
}

/** Each entry as it is shown; null where it is not. A rule holds for the row before the change and for the row after it. */
async function shownEntries(
  reader: AuditReader,
  { version, audience }: AuditSight,
  rows: readonly AuditRow[],
): Promise<readonly (AuditEntry | null)[]> {
  const changes = rows.flatMap(({ change }) => change ?? [])
  const formers = changes.flatMap((change) =>
    change.before
      ? [{ ...change, data: { ...change.data, ...change.before }, before: null, of: change }]
      : [],
  )
  const after: ReadonlyMap<object, HeadForm> = await permittedEvents(reader, audience.caller, changes)
  const before = await permittedEvents(reader, audience.caller, formers)
  const isBefore = new Set([...before.keys()].map(({ of }) => of))
  return rows.map((row) => {
    const { change } = row
    if (!change) return showEntry(version, row, null, audience)
    const form = after.get(change)
    const isPermitted = form && (!change.before || isBefore.has(change))
    return isPermitted ? showEntry(version, row, form, audience) : null
  })
}

/** Ids from the first one on, and before the second one. An id begins with the time of its entry. */
type Span = readonly [string, string]

function spanOf({ filters, descending }: AuditSelection, after: string | null): Span {
  let [from, to] = ['', afterAll]
  for (const { name, operator, values } of filters) {
    if (name !== 'created_at') continue
    const times = values.map((value) => Date.parse(String(value)))
    const [least, most] = [Math.min(...times), Math.max(...times)]
    const { holds } = operators[operator]
    if (!holds(least - 1, times)) from = later(from, timeIn(least))
    if (!holds(most + 1, times)) to = earlier(to, timeIn(most + 1))
  }
  if (after === null) return [from, to]
  // What follows an id directly: all ids are equally long.
  return descending ? [from, earlier(to, after)] : [later(from, `${after}!`), to]
}

const earlier = (a: string, b: string): string => (a < b ? a : b)
const later = (a: string, b: string): string => (a > b ? a : b)

/** The beginning of the ids of a time. */
const timeIn = (at: number): string => {
  const ms = Math.min(Math.max(at, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}`
}

interface Conditions {
  readonly conditions: readonly EntryCondition[]
  /** Whether an index knows which entries are meant. */
  readonly isIndexed: boolean
}

interface Reading {
  readonly span: Span
  readonly descending: boolean
  readonly limit: number
  readonly bytes: number
}

/** Some entries, and where to go on; null at the end. */
async function readEntries(
  store: Store,
  account: string,
  { conditions, isIndexed }: Conditions,
  { span, descending, limit, bytes }: Reading,
): Promise<{ readonly rows: readonly AuditRow[]; readonly next: string | null }> {
  const { dialect } = store
  let [from, to] = span
  let end: string | null = null
  if (!isIndexed) {
    const look = lastLookedAt(dialect, { account, from, to, descending })
    const [[last = null, count] = []] = await allRows(store, look, account)
    if (last === null) return { rows: [], next: null }
    if (Number(count) === mostLookedAt) end = String(last)
    if (end !== null) [from, to] = descending ? [end, to] : [from, `${end}!`]
  }
  const select = selectEntries(dialect, { account, from, to, conditions, descending, limit, bytes })
  const found = await allRows(store, select, account)
  const rows = found.map(auditRow)
  const isCut = rows.length >= limit || Number(found.at(-1)?.at(-1) ?? 0) > bytes
  return { rows, next: isCut ? (rows.at(-1)?.id ?? null) : end }
}

/** The filters in the store's terms. */
function storedConditions(model: Model, version: Version, filters: readonly AuditFilter[]): Conditions {
  const conditions = filters.map(({ name, operator, values, shown }) => {
    const asked = values.filter((value) => value !== null)
    const stored: readonly Value[] =
      name === 'resource'
        ? storedNames(model, version, shown)
        : name === 'created_at'
          ? asked.map((time) => Date.parse(String(time)))
          : asked.map(String)
    const isList = operators[operator].takesList || name === 'resource'
    const bound = isList && stored.length > 0 ? padded(stored) : stored
    const column = name as EntryCondition['column']
    return { column, operator, values: bound, withNull: asked.length < values.length }
  })
  const isIndexed =
    filters.every(({ name }) => name === 'created_at') ||
    filters.some(({ name, operator }) => name === 'row_id' && finds(operator))
  return { conditions, isIndexed }
}

/** Whether an operator names the values that are found. */
const finds = (operator: AuditFilter['operator']): boolean =>
  !operators[operator].compares && !operators[operator].excludes

/** The names under which entries of a version's resources are stored; one that no resource has where none is named. */
function storedNames(model: Model, version: Version, shown: readonly unknown[]): readonly string[] {
  if (shown.every((name) => name === null)) return []
  const views = [...version.views.values()].filter(({ name }) => shown.includes(name))
  const names = [...new Set(views.flatMap(({ resource }) => eventNamesOf(model, resource)))]
  return names.length > 0 ? names.sort() : ['']
}
