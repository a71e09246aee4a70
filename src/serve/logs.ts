import pino, { type DestinationStream, type Logger } from 'pino'
import { SettingMistake } from '../setting-mistake.ts'

const levels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']

export interface LogSettings {
  /** `NOUNKIT_LOG`; `info` unless said. */
  readonly level?: string | undefined
  readonly destination?: DestinationStream
}

/** A logger, and where it writes: the access log writes lines of its own there. */
export interface Log {
  readonly logger: Logger
  readonly destination: DestinationStream
}

/** JSON lines on standard output. No bodies, no queries, no headers: what is not logged cannot leak. */
export const createLog = ({ level = 'info', destination = standardOutput() }: LogSettings = {}): Log => {
  if (!levels.includes(level)) {
    throw new SettingMistake(`NOUNKIT_LOG is "${level}". Write one of ${levels.join(', ')}.`)
  }
  const options = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }
  return { logger: pino(options, destination), destination }
}

/** Sonic-boom writes at most 16 KiB at once. */
const batchBytes = 16_383
const flushMs = 200
/** A reader that falls behind by more than this loses lines; the service neither waits for it nor grows without bound. */
const backlogBytes = 16 * 1_048_576

/** Written in batches, off the request's path, and flushed when the process exits. */
const standardOutput = (): DestinationStream =>
  pino.destination({
    dest: 1,
    sync: false,
    minLength: batchBytes,
    periodicFlush: flushMs,
    maxLength: backlogBytes,
  })

/** Logs an error of a part of the service; a message with `null` in place of an error is logged as a warning. */
export const warnTo =
  ({ logger }: Pick<Log, 'logger'>) =>
  (message: string, error: unknown): void => {
    if (error === null) logger.warn(message)
    else logger.error({ err: error }, message)
  }
