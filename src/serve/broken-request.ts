import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Problem, problem } from '../problems.ts'
import { refusalText } from './refusal.ts'

type ParseError = Error & { readonly code?: string; readonly rawPacket?: Buffer }
/** node:http keeps the answer being written here; its own default handler asks it too. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

/** Bytes that are no request, or did not arrive in time: answered as a problem where an answer can still be understood. */
export const answerBrokenRequest = (error: ParseError, socket: HttpSocket, requestId: string): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const text = refusalText(problemOf(error, socket), requestId)
  const answer = () => socket.end(text, () => socket.destroy())
  const earlier = socket._httpMessage
  if (!earlier) answer()
  // The fault is in a pipelined request behind one that is still being answered: answers keep their order.
  else if (earlier.req.complete) earlier.once('finish', answer)
  else if (earlier.headersSent) socket.destroy()
  else answer()
}

const problemOf = (error: ParseError, socket: Socket): Problem => {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('request-timeout', { detail: 'The request did not arrive completely in time.' })
    case 'HPE_HEADER_OVERFLOW':
      return stillInUrl(error, socket)
        ? problem('uri-too-long', {
            detail: 'The URL is longer than the request line and all headers together may be.',
          })
        : problem('headers-too-large', { detail: 'The request line and headers are larger than the limit.' })
    default:
      return problem('bad-request', {
        detail: 'The bytes on this connection are not a valid HTTP/1.1 request.',
      })
  }
}

/** The parser gives up at the same size within a URL and within headers; the first line tells which it was. */
const stillInUrl = ({ rawPacket }: ParseError, socket: Socket): boolean =>
  rawPacket !== undefined &&
  socket.bytesRead === rawPacket.length &&
  !rawPacket.subarray(0, 16_384).includes('\r\n')
