import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { PlainResponse } from '../call/exchange.ts'
import { type Problem, problem } from '../problems.ts'
import { originForm } from './node-request.ts'
import { versionUnsupported } from './request-fault.ts'

type ParseError = Error & {
  readonly code?: string
  readonly rawPacket?: Buffer
  /** How many bytes of the packet were parsed. */
  readonly bytesParsed?: number
}
/** node:http keeps the response that is being written in `_httpMessage`; its own default error handler reads it too. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

/**
 * Answers bytes that are not a request, or did not arrive in time, with a problem, where the client can still read an answer.
 * `refuse` makes the answer, from the problem and from the path where that is known.
 */
export const answerBrokenRequest = (
  error: ParseError,
  socket: HttpSocket,
  refuse: (failure: Problem, path: string | null) => PlainResponse,
): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else if (isAnswered(socket)) socket.end(() => socket.destroy())
  else {
    const line = requestLine(error)
    const response = refuse(problemOf(error, socket, line), pathOf(socket, line))
    answerInTurn(socket, responseText(response))
  }
}

/** A whole answer as text, for a socket without a parsed request. The connection is closed after it. */
const responseText = ({ status, headers, body }: PlainResponse): string => {
  const all = {
    ...headers,
    Date: new Date().toUTCString(),
    'Content-Length': Buffer.byteLength(String(body)),
    Connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

/** Earlier pipelined requests may still wait for their answers, which must be sent first. */
const answerInTurn = (socket: HttpSocket, text: string): void => {
  const earlier = socket._httpMessage
  if (earlier?.req.complete) earlier.once('finish', () => answerInTurn(socket, text))
  else if (isAnswered(socket)) socket.end(() => socket.destroy())
  else socket.end(text, () => socket.destroy())
}

/** Whether the broken request was answered before its body failed; that answer may still be in the send buffer. */
const isAnswered = ({ _httpMessage: answer }: HttpSocket): boolean =>
  answer?.headersSent === true && !answer.req.complete

/** The request line of the request in which the parser stopped, as far as it was parsed; '' where an earlier packet had it. */
const requestLine = ({ rawPacket, bytesParsed = 0 }: ParseError): string => {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  // Earlier pipelined requests in the same packet end with a blank line, unless they have a body.
  const last = parsed.split('\r\n\r\n').at(-1) ?? ''
  return last.split('\r\n', 1)[0] ?? ''
}

/** The path of the request that failed; null where it is not known. */
const pathOf = ({ _httpMessage: answer }: HttpSocket, line: string): string | null => {
  const unfinished = answer && !answer.req.complete ? answer.req.url : undefined
  const target = unfinished ?? /^[A-Z]+ (\S+)/.exec(line)?.[1]
  return target === undefined ? null : (originForm(target).split('?', 1)[0] ?? null)
}

const problemOf = (error: ParseError, socket: Socket, line: string): Problem => {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('request-timeout', { detail: 'The request did not arrive completely in time.' })
    case 'HPE_HEADER_OVERFLOW':
      return stillInUrl(error, socket)
        ? problem('uri-too-long', {
            detail: 'The URL is longer than the request line and all headers together may be.',
          })
        : problem('headers-too-large', { detail: 'The request line and headers are larger than the limit.' })
    case 'HPE_INVALID_VERSION': {
      const version = / HTTP\/([02-9]\.\d)/.exec(line)?.[1]
      return version ? versionUnsupported(version) : badRequest()
    }
    default:
      return badRequest()
  }
}

const badRequest = (): Problem =>
  problem('bad-request', { detail: 'The bytes on this connection are not a valid HTTP/1.1 request.' })

/** The parser reports the same error for a long URL and for long headers. A first line without an end was the URL. */
const stillInUrl = ({ rawPacket }: ParseError, socket: Socket): boolean =>
  rawPacket !== undefined &&
  socket.bytesRead === rawPacket.length &&
  !rawPacket.subarray(0, 16_384).includes('\r\n')
