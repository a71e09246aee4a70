import type { PlainResponse } from '../request/exchange.ts'
import type { NodeRequest } from './node-request.ts'
import type { HeadWriter } from './response-head.ts'

/** A small rest of a body is read away to keep the connection; a larger one is cheaper to cut off. */
const smallRest = 65_536
const lingerBytes = 16 * 1_048_576
const lingerMs = 3_000

/** Returns whether the connection ends with this answer. */
export const writeResponse = (
  request: NodeRequest,
  response: PlainResponse,
  writeHead: HeadWriter,
  isLast: boolean,
): boolean => {
  const { outgoing } = request
  if (outgoing.destroyed || outgoing.headersSent) return false
  const cut = request.hasUnreadBody && !isSmallRest(request)
  const { status, body } = response
  const length = response.bytes ?? bytesOf(body)
  const shownLength = body !== null || (status !== 204 && status !== 304) ? length : null
  const closing = isLast || cut
  if (closing || request.expectsContinue || !writeHead(outgoing, response, shownLength))
    outgoing.writeHead(status, headerList(response, shownLength, closing))
  const shown = request.method === 'HEAD' ? null : body
  if (cut) lingerThenClose(request, shown)
  else if (shown === null) outgoing.end()
  // Text of as many bytes as characters is ASCII: it can be copied to the socket without being encoded.
  else if (length === shown.length) outgoing.end(shown, 'latin1')
  else outgoing.end(shown)
  return closing
}

const bytesOf = (body: PlainResponse['body']): number => {
  if (body === null) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

/** A client that was not told to go on may never send the rest, so the next request cannot be told from it. */
const isSmallRest = ({ headers, expectsContinue }: NodeRequest): boolean =>
  !expectsContinue && Number(headers['content-length']) <= smallRest

/** One flat list, as node:http takes it without copying. */
const headerList = ({ headers }: PlainResponse, length: number | null, close: boolean): string[] => {
  const list: string[] = []
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) list.push(name, value)
  }
  if (length !== null) list.push('Content-Length', String(length))
  if (close) list.push('Connection', 'close')
  return list
}

/**
 * Closing while the client still sends would reset the connection and lose the answer (RFC 9112 §9.6), so the answer is
 * flushed and the rest read away for a while.
 */
const lingerThenClose = ({ incoming, outgoing }: NodeRequest, body: string | Uint8Array | null): void => {
  const close = (): void => {
    clearTimeout(timer)
    incoming.off('data', count)
    outgoing.end()
  }
  let rest = lingerBytes
  const count = (chunk: Buffer): void => {
    rest -= chunk.length
    if (rest < 0) close()
  }
  const timer = setTimeout(close, lingerMs)
  incoming.on('data', count)
  incoming.once('end', close)
  incoming.once('close', close)
  incoming.resume()
  if (body === null) outgoing.flushHeaders()
  else outgoing.write(body)
}
