import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Problem, problem } from '../problems.ts'
import { refusalText } from './refusal.ts'

type ParseError = Error & { readonly code?: string; readonly rawPacket?: Buffer }
/** node:http keeps the answer being written here; its own default handler asks it too. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

/**
 * Bytes that are no request, or did not arrive in time: answered as a problem where an answer can still be understood.
 * Returns its status, or null where there was nobody to answer.
 */
export const answerBrokenRequest = (
  error: ParseError,
  socket: HttpSocket,
  requestId: string,
): number | null => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return null
  }
  if (isAnswered(socket)) {
    socket.end(() => socket.destroy())
    return null
  }
  const failure = problemOf(error, socket)
  answerInTurn(socket, refusalText(failure, requestId))
  return failure.status
}

/** The fault may be in a pipelined request behind some that are still being answered: answers keep their order. */
const answerInTurn = (socket: HttpSocket, text: string): void => {
  const earlier = socket._httpMessage
  if (earlier?.req.complete) earlier.once('finish', () => answerInTurn(socket, text))
  else if (isAnswered(socket)) socket.end(() => socket.destroy())
  else socket.end(text, () => socket.destroy())
}

/** This very request was answered before its body went wrong, and that answer may still be on its way. */
const isAnswered = ({ _httpMessage: answer }: HttpSocket): boolean =>
  answer?.headersSent === true && !answer.req.complete

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
