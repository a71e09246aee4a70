import { whenOver } from '../support/clean-up.ts'
import { startReceiver } from '../support/receiver.ts'
import type { SeenEvent } from './event-followers.ts'

/** What servers need to send webhooks to it, and to try again soon. */
export const webhookSettings = {
  NOUNKIT_WEBHOOK_ALLOW: '127.0.0.0/8',
  NOUNKIT_WEBHOOK_DELAYS: Array(20).fill('0.2').join(','),
}

export interface EventReceiver {
  readonly url: string
  /** Events that it has accepted, by their ids. */
  readonly accepted: ReadonlyMap<string, SeenEvent>
  /** How often it was called. */
  readonly calls: number
}

/** Receives webhooks, and refuses every tenth event at first. */
export async function startEventReceiver(): Promise<EventReceiver> {
  const receiver = await startReceiver()
  whenOver(() => receiver.close())
  const accepted = new Map<string, SeenEvent>()
  const refused = new Set<string>()
  receiver.answer((response, { body }) => {
    const event = (JSON.parse(body) as { data: SeenEvent }).data
    const isRefused = receiver.received.length % 10 === 0 && !refused.has(event.id)
    if (isRefused) refused.add(event.id)
    else accepted.set(event.id, event)
    response.writeHead(isRefused ? 503 : 204).end()
  })
  return {
    url: receiver.url,
    accepted,
    get calls() {
      return receiver.received.length
    },
  }
}
