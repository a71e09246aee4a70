import type { PlainResponse } from '../call/exchange.ts'
import { holderOfRequest } from './fair-limit.ts'
import type { NodeRequest } from './node-request.ts'
import type { Admission } from './overload.ts'
import { bytesOf } from './write-response.ts'

/** A client that takes not one byte of an answer for this long is cut off. It is noticed within twice this time. */
export const untakenMs = 30_000

/**
 * Counts the bytes of an answer that has been written, until the client has taken them or the connection closes. Most answers fit in the
 * kernel's buffer at once and are not counted. The connection is closed where the caller holds more than its share, or takes nothing for
 * `afterMs`. Streams of events wait for their client themselves.
 */
export const holdUntilTaken = (
  request: NodeRequest,
  response: PlainResponse,
  { answers }: Admission,
  afterMs: number = untakenMs,
): void => {
  const { outgoing, incoming } = request
  if (response.live || outgoing.writableLength === 0) return
  const holder = holderOfRequest(request)
  const bytes = response.bytes ?? bytesOf(response.body)
  outgoing.once('close', () => answers.giveBack(holder, bytes))
  if (!answers.take(holder, bytes)) incoming.socket.destroy()
  // node:http sets the time of an idle connection when the answer has been taken.
  else incoming.socket.setTimeout(afterMs)
}
