import { toldTypes } from '../compile/events-view.ts'
import type { Model, Version } from '../compile/model.ts'
import { type OperatorName, operators } from '../kinds/operators.ts'
import { powerOfTwo } from '../plan/dialect.ts'
import type { EventCondition } from '../plan/event-reads.ts'
import { problem } from '../problems.ts'
import type { Call, Outcome, Reader } from '../read/call.ts'
import { etagOf } from '../read/etag.ts'
import { notThere } from '../read/read-rows.ts'
import { cursorBound } from '../request/cursor.ts'
import type { Filter } from '../request/filter.ts'
import type { PageQuery } from '../request/query.ts'
import type { Value } from '../store/store.ts'
import type { EventFilter, EventLog } from './event-log.ts'
import { namesOf } from './head-form.ts'
import { type Audience, eventBody, showEvent } from './show-event.ts'

/** What reading events needs, made once per service. */
export interface EventReader extends Pick<Reader, 'seal'> {
  readonly model: Model
  readonly log: EventLog
}

/** GET of one event. */
export async function readEvent(reader: EventReader, call: Call, audience: Audience): Promise<Outcome> {
  const event = await reader.log.one(call.caller.account, call.target.id ?? '')
  const shown = event && showEvent(reader.model, call.target.version, event, audience)
  if (!shown) throw notThere(call.target)
  return { status: 200, body: eventBody(shown), etag: etagOf(shown.view, 1, audience.grants) }
}

/** The most events that one request looks at. Where a version shows few of them, a page may be short and have a next one. */
const mostScanned = 5_000
const batch = 500

/** One page of the events of an account. Oldest first there is always a next cursor, so that a reader can come back with it. */
export async function readEventList(
  reader: EventReader,
  call: Call,
  query: PageQuery,
  audience: Audience,
): Promise<Outcome> {
  const { list } = query
  const boundTo = cursorBound(call.caller, call.target, list.order)
  const cursorAt = (position: number): string => reader.seal.seal(`[${position}]`, boundTo)
  const newestFirst = list.sort[0]?.descending ?? false
  const given = query.cursor === null ? null : Number(reader.seal.open(query.cursor, boundTo, 1)[0])
  const page = await scan(reader, call, list.filters, audience, {
    from: given ?? (newestFirst ? Number.MAX_SAFE_INTEGER : 0),
    limit: list.limit,
    newestFirst,
    refuseGone: (swept, position) => {
      if (newestFirst || position >= swept || (given === null && position === 0)) return
      throw expired(cursorAt(swept))
    },
  })
  const cursor = page.next === null ? null : cursorAt(page.next)
  const tail = `"page":{"limit":${list.limit},"has_more":${page.hasMore},"next_cursor":${cursor ? `"${cursor}"` : 'null'}}`
  const body = `{"data":[${page.texts.join(',')}],${tail}}`
  return { status: 200, body, next: page.hasMore && cursor ? list.next + cursor : null, canonical: null }
}

const expired = (oldestCursor: string): Error =>
  problem('events-expired', {
    detail: 'Events that follow this cursor were deleted because of their age. Go on with oldest_cursor.',
    members: { oldest_cursor: oldestCursor },
  })

interface Scan {
  readonly from: number
  readonly limit: number
  readonly newestFirst: boolean
  /** Throws where events after the position are gone. */
  refuseGone(swept: number, position: number): void
}

interface ScannedPage {
  readonly texts: readonly string[]
  readonly hasMore: boolean
  /** The position to go on from. */
  readonly next: number | null
}

async function scan(
  { log, model }: EventReader,
  { caller, target }: Call,
  filters: readonly Filter[],
  audience: Audience,
  { from, limit, newestFirst, refuseGone }: Scan,
): Promise<ScannedPage> {
  const stored = storedFilter(model, target.version, filters, audience)
  const isAsked = typeFilter(filters)
  const texts: string[] = []
  let [at, scanned, kept] = [from, 0, from]
  for (;;) {
    const size = scanned === 0 ? limit + 1 : batch
    const order = newestFirst ? 'newest-first' : 'oldest-first'
    const { events, last, swept } = await log.read(caller.account, at, size, stored, order)
    refuseGone(swept, at)
    for (const event of events) {
      const shown = showEvent(model, target.version, event, audience)
      if (shown && isAsked(shown.type)) {
        if (texts.length === limit) return { texts, hasMore: true, next: kept }
        texts.push(shown.text)
        kept = event.position
      }
      at = event.position
    }
    scanned += events.length
    if (events.length < size)
      return { texts, hasMore: false, next: newestFirst ? null : Math.max(at, last, swept) }
    if (scanned >= mostScanned) return { texts, hasMore: true, next: at }
  }
}

/** Whether the asked types include one. */
const typeFilter = (filters: readonly Filter[]): ((type: string) => boolean) => {
  const asked = filters.filter(({ name }) => name === 'type')
  return (type) => asked.every(({ operator, shown }) => (operator === 'ne') !== shown.includes(type))
}

/** The filters in the store's terms. What the store cannot know, such as names of versions, is filtered when events are shown. */
function storedFilter(
  model: Model,
  version: Version,
  filters: readonly Filter[],
  audience: Audience,
): EventFilter {
  const conditions: EventCondition[] = []
  const values: Value[] = []
  const add = (column: EventCondition['column'], operator: OperatorName, bound: readonly Value[]) => {
    const padded = operators[operator].takesList ? [...bound, ...spare(bound)] : bound
    conditions.push({ column, operator, values: padded.length })
    values.push(...padded)
  }
  const isAsked = typeFilter(filters)
  const told = toldTypes(version)
  const wanted = told.filter(({ type, view }) => isAsked(type) && audience.mayRead(view))
  if (wanted.length < told.length) {
    const names = new Set(wanted.flatMap(({ view }) => namesOf(model, view.resource)))
    add('resource', 'in', names.size > 0 ? [...names].sort() : [''])
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
  return { conditions, values }
}

/** Lists are filled up to a power of two, so that they do not make a statement each. */
const spare = (bound: readonly Value[]): readonly Value[] =>
  Array(powerOfTwo(bound.length) - bound.length).fill(bound.at(-1))
