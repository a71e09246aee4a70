import pino, { type DestinationStream, type Logger } from 'pino'
import type { PlainRequest, PlainResponse, RequestNote } from '../request/exchange.ts'
import { SettingMistake } from '../setting-mistake.ts'

export type { Logger }

const levels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']

export interface LogSettings {
  /** `NOUNKIT_LOG`; `info` unless said. */
  readonly level?: string | undefined
  readonly destination?: DestinationStream
}

/** JSON lines on standard output, written in batches. No bodies, no queries, no headers: what is not logged cannot leak. */
export const createLogger = ({ level = 'info', destination }: LogSettings = {}): Logger => {
  if (!levels.includes(level)) {
    throw new SettingMistake(`NOUNKIT_LOG is "${level}". Write one of ${levels.join(', ')}.`)
  }
  const options = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }
  return pino(
    options,
    destination ?? pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 500 }),
  )
}

export type AccessLog = (
  request: PlainRequest,
  response: PlainResponse,
  note: RequestNote,
  ms: number,
) => void

/** One line per request, or null when lines of that level are not wanted. */
export const createAccessLog = (logger: Logger): AccessLog | null => {
  if (!logger.isLevelEnabled('info')) return null
  return (request, response, note, ms) => {
    logger.info(
      {
        id: request.id,
        method: request.method,
        route: note.route,
        version: note.version,
        status: response.status,
        ms: Math.round(ms * 1000) / 1000,
        account: note.account,
        consumer: note.consumer,
        ...(note.replayed ? { replayed: true } : undefined),
      },
      'request',
    )
  }
}
