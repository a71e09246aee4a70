import { setImmediate } from 'node:timers/promises'
import type { Call } from '../call/call.ts'
import type { Filter, ListQuery } from '../call/query.ts'
import type { Model, Version } from '../compile/model.ts'
import { shownTypes } from '../compile/versions/events-view.ts'
import { type OperatorName, operators } from '../kinds/operators.ts'
import { padded } from '../plan/compared-values.ts'
import type { EventCondition } from '../plan/event-reads.ts'
import { problem } from '../problems.ts'
import type { Reader } from '../read/reader.ts'
import { cursorBound } from '../request/cursor.ts'
import type { Value } from '../store/store.ts'
import type { EventExtent, EventLog, EventOrder } from './event-log.ts'
import { eventNamesOf } from './head-form.ts'
import { type EventJudge, permittedEvents } from './permitted-events.ts'
import { type Audience, type ShownEvent, showEvent } from './show-event.ts'

/** What reading events needs, made once per service. */
export interface EventReader extends Pick<Reader, 'seal'>, EventJudge {
  readonly log: EventLog
}

/**
 * The most events that one page looks at; their bytes are bounded as those of an answer. Where a caller is shown few of them, a page may be short
 * and have a next one.
 */
const mostScanned = 1_000
const batch = 500
/** More than the envelope of a page has, with its cursor. */
const bytesAroundRows = 1_000

export interface ShownAt extends ShownEvent {
  readonly position: number
}

export interface ScannedPage {
  readonly events: readonly ShownAt[]
  readonly hasMore: boolean
  /** The position to go on from. */
  readonly next: number | null
}

/** Reads the events of an account that a caller asks for, in the words of a version, from any position on. */
export class EventScan {
  readonly account: string
  /** All that a cursor is bound to. */
  readonly boundTo: string
  readonly #reader: EventReader
  readonly #version: Version
  readonly #audience: Audience
  readonly #conditions: readonly EventCondition[]
  readonly #isAsked: (type: string) => boolean
  readonly #mostBytes: number

  constructor(
    reader: EventReader,
    { caller, target }: Call,
    { filters, order }: Pick<ListQuery, 'filters' | 'order'>,
    audience: Audience,
  ) {
    this.account = caller.account
    this.boundTo = cursorBound(caller, target, order)
    this.#reader = reader
    this.#version = target.version
    this.#audience = audience
    this.#conditions = storedConditions(reader.model, target.version, filters, audience)
    this.#isAsked = typeFilter(filters)
    this.#mostBytes = Math.max(0, target.view.limits.responseBytes - bytesAroundRows)
  }

  /** A position may be that of an event that the reader is not shown, and tell when it happened. So it is hidden. */
  cursorAt(position: number): string {
    return this.#reader.seal.hide(position, this.boundTo)
  }

  positionAt(cursor: string): number {
    return this.#reader.seal.reveal(cursor, this.boundTo)
  }

  /**
   * At most `limit` events, fewer where an answer could not hold their bytes, after a position, or from the first one where it is null; before it, where the newest come first. Throws
   * where events after the position were deleted because of their age: a reader must learn that it missed something.
   */
  async page(
    from: number | null,
    limit: number,
    order: EventOrder = 'oldest-first',
    extent: EventExtent = 'all committed',
  ): Promise<ScannedPage> {
    const { log } = this.#reader
    const oldestFirst = order === 'oldest-first'
    const page: ShownAt[] = []
    let at = from ?? (oldestFirst ? 0 : Number.MAX_SAFE_INTEGER)
    let [scanned, kept, bytes] = [0, at, 0]
    for (;;) {
      const size = scanned === 0 ? limit + 1 : batch
      const bounds = { limit: size, bytes: this.#mostBytes }
      const what = { conditions: this.#conditions, order, extent }
      // SQLite answers at once, so that a search among many hidden events would let nobody else in.
      if (scanned > 0) await setImmediate()
      const { events, last, swept, isCut, hasWaiting } = await log.read(this.account, at, bounds, what)
      if (oldestFirst && at < swept && (from !== null || scanned > 0)) throw expired(this.cursorAt(swept))
      const permitted = await permittedEvents(this.#reader, this.#audience.caller, events)
      for (const event of events) {
        const form = permitted.get(event)
        const shown = form && showEvent(this.#version, event, form, this.#audience)
        if (shown && this.#isAsked(shown.type)) {
          bytes += Buffer.byteLength(shown.text) + 1
          const isFull = page.length === limit || (page.length > 0 && bytes > this.#mostBytes)
          if (isFull) return { events: page, hasMore: true, next: kept }
          page.push({ ...shown, position: event.position })
          kept = event.position
        }
        at = event.position
      }
      scanned += events.length
      if (hasWaiting) return { events: page, hasMore: true, next: at }
      if (events.length < size && !isCut)
        return { events: page, hasMore: false, next: oldestFirst ? Math.max(at, last, swept) : null }
      if (isCut || scanned >= mostScanned) return { events: page, hasMore: true, next: at }
    }
  }
}

const expired = (oldestCursor: string): Error =>
  problem('events-expired', {
    detail: 'Events that follow this cursor were deleted because of their age. Go on with oldest_cursor.',
    members: { oldest_cursor: oldestCursor },
  })

/** Whether the asked types include one. */
const typeFilter = (filters: readonly Filter[]): ((type: string) => boolean) => {
  const asked = filters.filter(({ name }) => name === 'type')
  return (type) => asked.every(({ operator, shown }) => operators[operator].excludes !== shown.includes(type))
}

/** The filters in the store's terms. What the store cannot know, such as names of versions, is filtered when events are shown. */
function storedConditions(
  model: Model,
  version: Version,
  filters: readonly Filter[],
  audience: Audience,
): readonly EventCondition[] {
  const conditions: EventCondition[] = []
  const add = (column: EventCondition['column'], operator: OperatorName, bound: readonly Value[]) =>
    conditions.push({ column, operator, values: operators[operator].takesList ? padded(bound) : bound })
  const isAsked = typeFilter(filters)
  const shown = shownTypes(version)
  const wanted = shown.filter(({ type, view }) => isAsked(type) && audience.mayRead(view))
  if (wanted.length < shown.length) {
    const names = new Set(wanted.flatMap(({ view }) => eventNamesOf(model, view.resource)))
    add('resource', 'in', names.size > 0 ? [...names].sort() : [''])
    const asked = new Set(wanted.map(({ kind }) => kind))
    if (asked.size < new Set(shown.map(({ kind }) => kind)).size) add('kind', 'in', [...asked, ''].sort())
  }
  for (const { name, operator, values: asked } of filters) {
    if (name === 'resource_id') add('row_id', operator, asked.map(String))
    if (name === 'created_at')
      add(
        'created_at',
        operator,
        asked.map((time) => Date.parse(String(time))),
      )
  }
  return conditions
}
