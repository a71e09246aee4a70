import { type IncomingMessage, ServerResponse, STATUS_CODES, validateHeaderName } from 'node:http'
import type { PlainResponse } from '../request/exchange.ts'

/**
 * Writes the status line and headers of a response and returns true, or returns false where the caller has to use `writeHead`.
 * `length` is null for a status that has no body.
 */
export type HeadWriter = (outgoing: ServerResponse, response: PlainResponse, length: number | null) => boolean

/**
 * Builds the status line and headers as one string and stores it in node:http's private `_header`, only for HTTP/1.1 on a connection
 * that is kept alive. `writeHead` does the same header by header.
 *
 * Every server first compares our string with the one that node:http makes. Where the two differ, or the private properties are not
 * as expected, every response uses `writeHead`: slower, but correct. Figures: decisions/015-the-head-of-an-answer.md.
 */
export function headWriter(keepAliveMs: number): HeadWriter {
  const headOf = headTexts(keepAliveMs)
  if (!isAsNodeWrites(headOf, keepAliveMs)) return () => false
  return (outgoing, { status, headers }, length) => {
    // APM agents replace `writeHead` to observe responses, so their function has to be called.
    if (outgoing.writeHead !== writeHead) return false
    if (!outgoing.shouldKeepAlive || !outgoing.useChunkedEncodingByDefault) return false
    const head = headOf(status, headers, length)
    if (head === null) return false
    const inner = innerOf(outgoing)
    outgoing.statusCode = status
    outgoing.statusMessage = reasonOf(status)
    if (status === 204 || status === 304) inner._hasBody = false
    inner._header = head
    return true
  }
}

const { writeHead } = ServerResponse.prototype

/** Private properties of node:http's responses. */
interface Inner {
  _header: string | null
  readonly _headerSent: boolean
  _hasBody: boolean
  _keepAliveTimeout: number
}

const innerOf = (outgoing: ServerResponse): Inner => outgoing as unknown as Inner

const reasonOf = (status: number): string => STATUS_CODES[status] ?? 'unknown'

/** Null where the head has a header that only `writeHead` may write or refuse. */
type HeadText = (status: number, headers: PlainResponse['headers'], length: number | null) => string | null

/** The characters that node:http refuses in a header's value. */
const refused = /[^\t\x20-\x7e\x80-\xff]/
/** The headers that change how node:http writes the response. */
const ownNames =
  /^(connection|content-disposition|content-length|date|expect|keep-alive|te|trailer|transfer-encoding)$/i
const maxNames = 100

function headTexts(keepAliveMs: number): HeadText {
  const checkedNames = new Set<string>()
  const end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`
  const date = dateLine()

  const isUsable = (name: string): boolean => {
    if (checkedNames.has(name)) return true
    if (checkedNames.size >= maxNames || ownNames.test(name)) return false
    validateHeaderName(name)
    checkedNames.add(name)
    return true
  }

  return (status, headers, length) => {
    let head = `HTTP/1.1 ${status} ${reasonOf(status)}`
    for (const name in headers) {
      const value = headers[name]
      if (value === undefined) continue
      if (!isUsable(name) || refused.test(value)) return null
      head += `\r\n${name}: ${value}`
    }
    if (length !== null) head += `\r\nContent-Length: ${length}`
    return head + date() + end
  }
}

/** The Date header, formatted once a second. */
function dateLine(): () => string {
  let second = -1
  let line = ''
  return () => {
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) {
      second = now
      line = `\r\nDate: ${new Date(now * 1000).toUTCString()}`
    }
    return line
  }
}

function isAsNodeWrites(headOf: HeadText, keepAliveMs: number): boolean {
  const request = { method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage
  const outgoing = new ServerResponse(request)
  const inner = innerOf(outgoing)
  if (inner._header !== null || inner._headerSent !== false || inner._hasBody !== true) return false
  inner._keepAliveTimeout = keepAliveMs
  outgoing.writeHead(200, ['Vary', 'Accept', 'Content-Length', '2'])
  const [theirs, ours] = [inner._header, headOf(200, { Vary: 'Accept' }, 2)].map((head) =>
    head?.replace(/^Date: .*\r\n/m, ''),
  )
  return theirs === ours
}
