import { type IncomingMessage, ServerResponse, STATUS_CODES, validateHeaderName } from 'node:http'
import type { PlainResponse } from '../request/exchange.ts'

/**
 * Writes the head of an answer on a connection that stays, and says whether it could: where not, `writeHead` has to.
 * `length` is null where the answer has no body by its nature.
 */
export type HeadWriter = (outgoing: ServerResponse, response: PlainResponse, length: number | null) => boolean

/**
 * The head as one text. `writeHead` is given a name and a value at a time and looks through each of them anew, of which a small
 * answer's time is a tenth. What it would refuse is left to it, to be refused as ever.
 *
 * The text is put where node:http keeps its own, which it does not promise to leave there. So it is asked first for a head of its
 * own, and if that is any different, all are left to it.
 */
export function headWriter(keepAliveMs: number): HeadWriter {
  const headOf = headTexts(keepAliveMs)
  if (!isAsNodeWrites(headOf, keepAliveMs)) return () => false
  return (outgoing, { status, headers }, length) => {
    // Programs that watch others put something of their own in its place.
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

/** What node:http has in an answer and does not tell of. */
interface Inner {
  _header: string | null
  readonly _headerSent: boolean
  _hasBody: boolean
  _keepAliveTimeout: number
}

const innerOf = (outgoing: ServerResponse): Inner => outgoing as unknown as Inner

const reasonOf = (status: number): string => STATUS_CODES[status] ?? 'unknown'

type HeadText = (status: number, headers: PlainResponse['headers'], length: number | null) => string | null

/** What node:http refuses in a value. */
const refused = /[^\t\x20-\x7e\x80-\xff]/
/** What it acts on itself. */
const ownNames =
  /^(connection|content-disposition|content-length|date|expect|keep-alive|te|trailer|transfer-encoding)$/i
const namesMost = 100
/** A value that was another one so often need not be compared with the last. */
const changesMost = 8

interface KnownHeader {
  readonly start: string
  /** Was looked through. */
  value: string
  changes: number
}

function headTexts(keepAliveMs: number): HeadText {
  const known = new Map<string, KnownHeader>()
  const end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`
  const date = dateLine()

  const learn = (name: string): KnownHeader | null => {
    if (known.size >= namesMost || ownNames.test(name)) return null
    validateHeaderName(name)
    const header = { start: `\r\n${name}: `, value: '', changes: 0 }
    known.set(name, header)
    return header
  }
  const isFit = (header: KnownHeader, value: string): boolean => {
    if (header.changes > changesMost) return !refused.test(value)
    if (header.value === value) return true
    if (refused.test(value)) return false
    // One that changes with every answer is not kept, however long it is.
    header.value = ++header.changes > changesMost ? '' : value
    return true
  }

  return (status, headers, length) => {
    let head = `HTTP/1.1 ${status} ${reasonOf(status)}`
    for (const name in headers) {
      const value = headers[name]
      if (value === undefined) continue
      const header = known.get(name) ?? learn(name)
      if (!header || !isFit(header, value)) return null
      head += header.start + value
    }
    if (length !== null) head += `\r\nContent-Length: ${length}`
    return head + date() + end
  }
}

/** Made once a second. */
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
