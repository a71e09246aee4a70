import { once } from 'node:events'
import { createServer, type IncomingMessage, ServerResponse, validateHeaderValue } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlainResponse } from '../../src/request/exchange.ts'
import { NodeRequest } from '../../src/serve/node-request.ts'
import { Admission } from '../../src/serve/overload.ts'
import { type HeadWriter, headWriter } from '../../src/serve/response-head.ts'
import { writeResponse } from '../../src/serve/write-response.ts'
import { rawExchange } from '../support/raw-socket.ts'

const keepAliveMs = 7_000

describe('the head of an answer', () => {
  const admission = new Admission(100)
  let response: PlainResponse
  const last: PlainResponse = { status: 200, headers: {}, body: 'the end' }
  /** How often it was written by the writer under test, and how often left to node:http. */
  const seen = { written: 0, left: 0 }

  const serverWith = (writer: HeadWriter) =>
    createServer({ keepAliveTimeout: keepAliveMs }, (incoming, outgoing) => {
      const parts = {
        incoming,
        outgoing,
        proxies: null,
        admission,
        makeId: () => 'id',
        expectsContinue: false,
      }
      try {
        writeResponse(new NodeRequest(parts), incoming.url === '/last' ? last : response, writer, false)
      } catch {
        outgoing.destroy()
      }
    })

  const own = headWriter(keepAliveMs)
  const servers = [
    serverWith(() => false),
    serverWith((...args) => {
      const written = own(...args)
      seen[written ? 'written' : 'left']++
      return written
    }),
  ]
  beforeAll(async () => {
    for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => {
    for (const server of servers) server.close()
    admission.close()
  })

  const bytesFrom = async (server: (typeof servers)[number], request: string): Promise<string> => {
    const { port } = server.address() as AddressInfo
    const both = `${request}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
    return (await rawExchange(port, both)).replaceAll(/^Date: .* GMT\r\n/gm, 'Date: then\r\n')
  }

  const name = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom('Vary', 'ETag', 'Link', 'X-Request-Id', 'retry-after') },
    { weight: 1, arbitrary: fc.constantFrom('Date', 'Keep-Alive') },
  )
  const value = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('nosniff', 'Authorization', '"1"', '') },
    {
      weight: 6,
      arbitrary: fc.string({
        unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
      }),
    },
    { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom('\t', ' ', 'é', 'ÿ', '\x80') }) },
    { weight: 1, arbitrary: fc.constantFrom('a\r\nX-Evil: 1', 'a\nb', 'a\0', '\x7f', 'Ċ', '\u{1f600}') },
  )
  const answer = fc.record({
    status: fc.constantFrom(200, 201, 202, 204, 304, 400, 404, 422, 429, 500, 599),
    headers: fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }),
    body: fc.constantFrom(null, '', '{"data":{}}', '{"name":"Žofie"}', new Uint8Array([0, 200, 10])),
  })
  const request = fc
    .tuple(
      fc.constantFrom('GET', 'HEAD'),
      fc.constantFrom('1.1', '1.1', '1.1', '1.0'),
      fc.constantFrom('', '', 'Connection: keep-alive\r\n', 'Connection: close\r\n'),
    )
    .map(([method, version, line]) => `${method} / HTTP/${version}\r\nHost: a\r\n${line}\r\n`)

  test('is to the byte what node:http writes', async () => {
    const [theirs, ours] = servers as [(typeof servers)[number], (typeof servers)[number]]
    await fc.assert(
      fc.asyncProperty(answer, request, async (one, text) => {
        response = { ...one, headers: { ...one.headers } }
        expect(await bytesFrom(ours, text)).toBe(await bytesFrom(theirs, text))
      }),
      { numRuns: 250 },
    )
    expect(seen.written).toBeGreaterThan(50)
    expect(seen.left).toBeGreaterThan(20)
  })

  const fresh = (): ServerResponse =>
    new ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage)
  const tries = (outgoing: ServerResponse, headers: PlainResponse['headers'], writer = own): boolean =>
    writer(outgoing, { status: 200, headers, body: '' }, 0)

  test('has no value that node:http would refuse, whatever was there before', () => {
    const writer = headWriter(keepAliveMs)
    const any = fc.oneof(value, fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(any, (text) => {
        let isValid = true
        try {
          validateHeaderValue('Link', text)
        } catch {
          isValid = false
        }
        expect(tries(fresh(), { Link: text }, writer)).toBe(isValid)
      }),
      { numRuns: 2_000 },
    )
  })

  test('is left to node:http where that would write another, or something stands in its place', () => {
    expect(tries(fresh(), {})).toBe(true)
    // Without a time-out it says nothing of one.
    expect(tries(fresh(), {}, headWriter(0))).toBe(false)
    const watched = fresh()
    watched.writeHead = watched.writeHead.bind(watched)
    expect(tries(watched, {})).toBe(false)
    expect(() => tries(fresh(), { 'a b': 'c' })).toThrow('Header name must be a valid HTTP token')
  })
})
