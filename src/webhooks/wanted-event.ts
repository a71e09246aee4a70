import type { Version } from '../compile/model.ts'
import type { EventRow } from '../events/event-row.ts'
import { type EventJudge, permittedEvents } from '../events/permitted-events.ts'
import { eventBody, type ShownEvent, showEvent } from '../events/show-event.ts'
import type { Endpoint } from './endpoint-rows.ts'

/** An event that an endpoint wants. */
export interface WantedEvent {
  readonly id: string
  readonly type: string
  /** Null where it could not be made. */
  readonly body: string | null
}

/**
 * The events that an endpoint is told and wants. Code of a custom change may fail on a row: its event is then delivered without a body,
 * which the attempts try to make again, so that it holds up no other event and is not lost.
 */
export async function wantedEvents(
  judge: EventJudge,
  endpoint: Endpoint,
  events: readonly EventRow[],
  failed: (error: unknown) => void,
): Promise<readonly WantedEvent[]> {
  const version = versionOf(judge, endpoint)
  if (!version) return []
  const show = await shownTo(judge, endpoint, version, events)
  const all = events.map((event): WantedEvent | null => {
    try {
      const shown = show(event)
      return shown && { id: event.id, type: shown.type, body: eventBody(shown) }
    } catch (error) {
      failed(error)
      const name = version.viewOf.get(event.resource)?.name ?? event.resource
      return { id: event.id, type: `${name}.${event.kind}`, body: null }
    }
  })
  const wants = ({ type }: WantedEvent): boolean => endpoint.types.has('*') || endpoint.types.has(type)
  return all.filter((event) => event !== null).filter(wants)
}

/** The body of a call; null where the endpoint is no longer told the event. */
export async function bodyFor(
  judge: EventJudge,
  endpoint: Endpoint,
  event: EventRow,
): Promise<string | null> {
  const version = versionOf(judge, endpoint)
  if (!version) return null
  const shown = (await shownTo(judge, endpoint, version, [event]))(event)
  return shown && eventBody(shown)
}

const versionOf = ({ model }: EventJudge, { version }: Endpoint): Version | undefined =>
  model.versions.find(({ name }) => name === version)

async function shownTo(
  judge: EventJudge,
  { audience }: Endpoint,
  version: Version,
  events: readonly EventRow[],
): Promise<(event: EventRow) => ShownEvent | null> {
  const permitted = await permittedEvents(judge, audience.caller, events)
  return (event) => {
    const form = permitted.get(event)
    return form ? showEvent(version, event, form, audience) : null
  }
}
