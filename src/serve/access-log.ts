import type { PlainRequest, PlainResponse, RequestNote } from '../call/exchange.ts'
import type { Log } from './logs.ts'

export type AccessLog = (
  request: PlainRequest,
  response: PlainResponse,
  note: RequestNote,
  ms: number,
) => void

/**
 * One line per request, or null when lines of that level are not wanted. The line is what pino would write, put together by hand:
 * its keys and most of its values need no escaping.
 */
export const createAccessLog = ({ logger, destination }: Log): AccessLog | null => {
  if (!logger.isLevelEnabled('info')) return null
  const start = `{"level":${logger.levels.values.info},"time":"`
  const process = `","pid":${globalThis.process.pid},"id":"`
  const time = isoClock()
  return ({ id, method }, { status }, note, ms) => {
    const replayed = note.replayed ? ',"replayed":true' : ''
    // Request ids, methods and routes are plain text already; accounts and consumers come from keys and tokens.
    destination.write(
      `${start}${time()}${process}${id}","method":"${method}","route":${quoted(note.route)},"version":${quoted(note.version)},"status":${status},"ms":${Math.round(ms * 1000) / 1000},"account":${JSON.stringify(note.account)},"consumer":${JSON.stringify(note.consumer)}${replayed},"msg":"request"}\n`,
    )
  }
}

const quoted = (text: string | null): string => (text === null ? 'null' : `"${text}"`)

/** The time as text, written once a millisecond: a busy service logs many lines in one. */
const isoClock = (): (() => string) => {
  let at = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== at) {
      at = now
      text = new Date(now).toISOString()
    }
    return text
  }
}
