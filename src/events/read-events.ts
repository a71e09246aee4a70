import type { Call, Outcome } from '../call/call.ts'
import { etagOf } from '../call/etag.ts'
import type { PageQuery } from '../call/query.ts'
import { notThere } from '../call/target.ts'
import { problem } from '../problems.ts'
import { type EventReader, EventScan } from './event-scan.ts'
import { permittedEvents } from './permitted-events.ts'
import { type Audience, eventBody, showEvent } from './show-event.ts'

/** GET of one event. */
export async function readEvent(reader: EventReader, call: Call, audience: Audience): Promise<Outcome> {
  const event = await reader.log.one(call.caller.account, call.target.id ?? '')
  const permitted = await permittedEvents(reader, audience.caller, event ? [event] : [])
  const form = event && permitted.get(event)
  const shown = form && showEvent(call.target.version, event, form, audience)
  if (!shown) throw notThere(call.target)
  const body = eventBody(shown)
  refuseLongEvent(body, call)
  return { status: 200, body, etag: etagOf(shown.view, 1, audience.grants) }
}

function refuseLongEvent(body: string, { target }: Call): void {
  const { responseBytes } = target.view.limits
  if (Buffer.byteLength(body) <= responseBytes) return
  throw problem('response-too-large', {
    detail: `An event alone has more than ${responseBytes} bytes: only a stream of events, or a higher limits.responseBytes, can show it.`,
    members: { limit: responseBytes },
  })
}

/** One page of the events of an account. Oldest first there is always a next cursor, so that a reader can come back with it. */
export async function readEventList(
  reader: EventReader,
  call: Call,
  { list, cursor }: PageQuery,
  audience: Audience,
): Promise<Outcome> {
  const scan = new EventScan(reader, call, list, audience)
  const newestFirst = list.sort[0]?.descending ?? false
  const from = cursor === null ? null : scan.positionAt(cursor)
  const page = await scan.page(from, list.limit, newestFirst ? 'newest-first' : 'oldest-first')
  const next = page.next === null ? null : scan.cursorAt(page.next)
  const tail = `"page":{"limit":${list.limit},"has_more":${page.hasMore},"next_cursor":${next ? `"${next}"` : 'null'}}`
  const body = `{"data":[${page.events.map(({ text }) => text).join(',')}],${tail}}`
  // A page has at least one event, which alone may be too large.
  refuseLongEvent(body, call)
  return { status: 200, body, next: page.hasMore && next ? list.next + next : null, canonical: null }
}
