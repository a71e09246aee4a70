import { STATUS_CODES } from 'node:http'
import type { Problem } from '../problems.ts'
import { problemResponse } from '../respond/problem.ts'
import type { Signal } from './shell.ts'

/**
 * A whole answer as text, for a socket on which nothing could be parsed; the connection ends with it. Where the path is known
 * the answer says whether its version is deprecated.
 */
export const refusalText = (
  failure: Problem,
  requestId: string,
  path: string | null,
  signal: Signal | null,
): string => {
  const { status, headers, body } = problemResponse(failure, requestId)
  if (path !== null) signal?.(path, headers)
  const all = {
    ...headers,
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    Date: new Date().toUTCString(),
    'Content-Length': Buffer.byteLength(String(body)),
    Connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
