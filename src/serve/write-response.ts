import type { ServerResponse } from 'node:http'
import type { LiveBody, PlainResponse } from '../call/exchange.ts'
import type { NodeRequest } from './node-request.ts'

/** An unread body up to this size is read and discarded, to keep the connection. For a larger one the connection is closed. */
const smallRest = 65_536
const lingerBytes = 16 * 1_048_576
const lingerMs = 3_000

/** Returns whether the connection is closed after this answer. */
export const writeResponse = (request: NodeRequest, response: PlainResponse, isLast: boolean): boolean => {
  const { outgoing } = request
  if (outgoing.destroyed || outgoing.headersSent) {
    response.live?.end()
    return false
  }
  if (response.live) return writeLive(request, response, response.live)
  const cut = request.hasUnreadBody && !isSmallRest(request)
  const { status, body } = response
  const length = response.bytes ?? bytesOf(body)
  const shownLength = body !== null || (status !== 204 && status !== 304) ? length : null
  const closing = isLast || cut
  outgoing.writeHead(status, headerList(response, shownLength, closing))
  const shown = request.method === 'HEAD' ? null : body
  if (cut) lingerThenClose(request, shown)
  else if (shown === null) outgoing.end()
  // Text with as many bytes as characters is ASCII, which needs no encoding to UTF-8.
  else if (length === shown.length) outgoing.end(shown, 'latin1')
  else outgoing.end(shown)
  return closing
}

/** Each text is written when the client has taken the one before. The connection is not used again afterwards. */
const writeLive = ({ outgoing, method }: NodeRequest, response: PlainResponse, live: LiveBody): boolean => {
  outgoing.writeHead(response.status, headerList(response, null, true))
  outgoing.once('close', () => live.end())
  if (method === 'HEAD') outgoing.end()
  else {
    outgoing.flushHeaders()
    void pump(outgoing, live)
  }
  return true
}

const pump = async (outgoing: ServerResponse, live: LiveBody): Promise<void> => {
  for (let text = await live.next(); text !== null; text = await live.next()) {
    if (!outgoing.write(text)) await drained(outgoing)
  }
  outgoing.end()
}

const drained = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done)
      outgoing.off('close', done)
      resolve()
    }
    outgoing.on('drain', done)
    outgoing.on('close', done)
  })

export const bytesOf = (body: PlainResponse['body']): number => {
  if (body === null) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

/** A client that still waits for 100 Continue may send its body or the next request: the two cannot be told apart. */
const isSmallRest = ({ headers, expectsContinue }: NodeRequest): boolean =>
  !expectsContinue && Number(headers['content-length']) <= smallRest

/** A flat list of names and values, the form that node:http does not copy. */
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
 * Closing while the client still sends would reset the connection and lose the answer (RFC 9112 §9.6). So the answer is
 * flushed, and the rest of the body is read and discarded for a limited time.
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
