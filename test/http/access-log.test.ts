import pino from 'pino'
import { expect, test } from 'vitest'
import type { PlainRequest, RequestNote } from '../../src/call/exchange.ts'
import { createAccessLog } from '../../src/serve/access-log.ts'
import { createLog } from '../../src/serve/logs.ts'

const request = { id: 'abc-1', method: 'GET' } as PlainRequest
const note: RequestNote = {
  subject: null,
  route: '/orders/{id}',
  version: 'v2',
  account: 'a "quoted" name\n',
  consumer: 'key-1',
  replayed: false,
  statements: 0,
  statementMs: 0,
}

const lines = (level: string, notes: readonly RequestNote[]): readonly string[] => {
  const written: string[] = []
  const log = createLog({ level, destination: { write: (line) => void written.push(line) } })
  const accessLog = createAccessLog(log)
  for (const one of notes) accessLog?.(request, { status: 200, headers: {}, body: null }, one, 1.23456)
  return written
}

test('a line of the access log is the line that pino would write', () => {
  const notes = [note, { ...note, replayed: true, route: null, version: null, account: null, consumer: null }]
  const expected: string[] = []
  const logger = pino(
    { base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => void expected.push(line) },
  )
  for (const { replayed, ...one } of notes)
    logger.info(
      {
        id: request.id,
        method: request.method,
        route: one.route,
        version: one.version,
        status: 200,
        ms: 1.235,
        account: one.account,
        consumer: one.consumer,
        ...(replayed ? { replayed } : {}),
      },
      'request',
    )
  const timeless = (line: string) => line.replace(/"time":"[^"]*"/, '"time":"…"')
  expect(lines('info', notes).map(timeless)).toEqual(expected.map(timeless))
})

test('there are none where that level is not logged', () => {
  expect(lines('warn', [note])).toEqual([])
})
