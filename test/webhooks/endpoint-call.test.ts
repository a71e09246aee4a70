import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test } from 'vitest'
import { readRange } from '../../src/webhooks/addresses.ts'
import { createCaller, type EndpointCaller } from '../../src/webhooks/endpoint-call.ts'
import { newSecret, signedHeaders } from '../../src/webhooks/signature.ts'
import type { WebhookSettings } from '../../src/webhooks/webhook-settings.ts'
import { startDns } from '../support/dns-server.ts'
import { type Receiver, receiverCertificate, startReceiver } from '../support/receiver.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function receiver(options: { tls?: boolean } = {}): Promise<Receiver> {
  const started = await startReceiver(options)
  closing.push(() => started.close())
  return started
}

const rangesOf = (...texts: string[]) =>
  texts.map((text) => readRange(text)).filter((range) => range !== null)

function caller(settings: Partial<WebhookSettings> = {}): EndpointCaller {
  const made = createCaller({
    allow: rangesOf('127.0.0.0/8'),
    delaysMs: [],
    ca: receiverCertificate,
    ...settings,
  })
  closing.push(() => made.close())
  return made
}

const post = (made: EndpointCaller, url: string) => made.post(url, {}, '{}')

describe('a call', () => {
  test.each([false, true])('is a POST of JSON that the receiver verifies (TLS: %s)', async (tls) => {
    const { url, received } = await receiver({ tls })
    const secret = newSecret()
    const body = '{"data":{"name":"Zoë"}}'
    const seconds = Math.floor(Date.now() / 1000)
    const headers = signedHeaders('0193-event', seconds, body, [secret])
    expect(await caller().post(url, headers, body)).toEqual({ status: 204, error: null, retryAfter: null })
    const [call] = received
    expect(call).toMatchObject({ path: '/hooks', body, headers: { 'content-type': 'application/json' } })
    expect(new Webhook(secret).verify(call?.body ?? '', call?.headers as Record<string, string>)).toEqual({
      data: { name: 'Zoë' },
    })
  })

  test('two secrets sign, and either verifies', () => {
    const secrets = [newSecret(), newSecret()]
    const headers = signedHeaders('id', Math.floor(Date.now() / 1000), '{}', secrets)
    for (const secret of secrets) expect(new Webhook(secret).verify('{}', headers)).toEqual({})
    expect(() => new Webhook(newSecret()).verify('{}', headers)).toThrow()
    expect(() => new Webhook(secrets[0] ?? '').verify('{ }', headers)).toThrow()
  })

  test('a status other than 2xx is an error, and a redirect is not followed', async () => {
    const target = await receiver()
    const one = await receiver()
    one.answer((response) => void response.writeHead(500).end('{"why":"…"}'))
    expect(await post(caller(), one.url)).toEqual({ status: 500, error: 'status', retryAfter: null })
    one.answer((response) => void response.writeHead(307, { location: target.url }).end())
    expect(await post(caller(), one.url)).toEqual({ status: 307, error: 'redirect', retryAfter: null })
    expect(target.received).toEqual([])
  })

  test('Retry-After counts with 429 and 503 only', async () => {
    const { url, answer } = await receiver()
    for (const [status, retryAfter] of [
      [429, '7'],
      [503, '7'],
      [500, null],
    ] as const) {
      answer((response) => void response.writeHead(status, { 'retry-after': '7' }).end())
      expect(await post(caller(), url)).toEqual({ status, error: 'status', retryAfter })
    }
  })

  test('a receiver that hangs, before or amid its answer, is given up', async () => {
    const { url, answer, received } = await receiver()
    answer(() => {})
    expect(await post(caller({ timeoutMs: 200 }), url)).toMatchObject({ status: null, error: 'timeout' })
    const closed = Promise.withResolvers<void>()
    answer((response, _, socket) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half')
      socket.on('close', () => closed.resolve())
    })
    expect(await post(caller({ timeoutMs: 3_000 }), url)).toMatchObject({ status: 200, error: null })
    await closed.promise
    expect(received).toHaveLength(2)
  })

  test('an answer that does not end is a call under way, until its time is over', async () => {
    const { url, answer } = await receiver()
    const open = Promise.withResolvers<() => void>()
    let isOpen = true
    answer((response) => {
      response.writeHead(200).write('half')
      open.resolve(() => {
        isOpen = false
        response.end()
      })
    })
    const result = post(caller(), url).then((ended) => ({ ...ended, isOpen }))
    const end = await open.promise
    // The call would have ended before this one, which begins when the head of its answer is on the way.
    const other = await receiver()
    for (let at = 0; at < 5; at++) await post(caller(), other.url)
    end()
    expect(await result).toEqual({ status: 200, error: null, retryAfter: null, isOpen: false })
  })

  test('a receiver that closes early, or is not there, is a failed connection', async () => {
    const { url, answer, close } = await receiver()
    answer((_, __, socket) => void socket.destroy())
    expect(await post(caller(), url)).toMatchObject({ status: null, error: 'connection-failed' })
    await close()
    expect(await post(caller(), url)).toMatchObject({ status: null, error: 'connection-failed' })
  })

  test('an answer of megabytes is cut', async () => {
    const { url, answer } = await receiver()
    const sent = Promise.withResolvers<number>()
    answer((response, _, socket) => {
      response.writeHead(200)
      const more = () => {
        while (response.write(Buffer.alloc(16_384))) {}
      }
      response.on('drain', more)
      socket.on('close', () => sent.resolve(socket.bytesWritten))
      more()
    })
    expect(await post(caller(), url)).toMatchObject({ status: 200, error: null })
    // What the kernels of both ends buffer comes on top of the 64 KiB that are read.
    expect(await sent.promise).toBeLessThan(16_000_000)
  })

  test('a connection that the receiver closed while it was idle is replaced', async () => {
    const { url, answer, received } = await receiver()
    const made = caller()
    answer((response, _, socket) => {
      response.writeHead(204).end(() => setImmediate(() => socket.destroy()))
    })
    for (let at = 0; at < 20; at++) expect(await post(made, url)).toMatchObject({ status: 204 })
    expect(received.length).toBeGreaterThanOrEqual(20)
  })

  test('a certificate that nobody vouches for is refused', async () => {
    const { url, received } = await receiver({ tls: true })
    const made = createCaller({ allow: rangesOf('127.0.0.0/8'), delaysMs: [] })
    closing.push(() => made.close())
    expect(await post(made, url)).toMatchObject({ status: null, error: 'tls-failed' })
    expect(received).toEqual([])
  })
})

describe('the address is judged where the connection is opened', () => {
  test('a literal address that is not allowed is never connected to', async () => {
    const { port, received } = await receiver()
    for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost'])
      expect(await post(caller({ allow: [] }), `http://${host}:${port}/`)).toMatchObject({
        error: 'address-not-allowed',
      })
    expect(received).toEqual([])
  })

  test('a name that answers an allowed address first and another one later is not followed there', async () => {
    const { port, received } = await receiver({ tls: true })
    const names = await startDns([['127.0.0.2'], ['127.0.0.1']])
    closing.push(() => names.close())
    // 127.0.0.2 stands for a public address, where nobody listens; 127.0.0.1 for one within.
    const made = caller({ allow: rangesOf('127.0.0.2/32'), resolve: names.resolve })
    const url = `https://rebound.example:${port}/`
    expect(await post(made, url)).toMatchObject({ error: 'connection-failed' })
    expect(await post(made, url)).toMatchObject({ error: 'address-not-allowed' })
    expect(names.asked).toBe(2)
    expect(received).toEqual([])
  })

  test('of several addresses of a name only those that are allowed are tried', async () => {
    const { port, received } = await receiver()
    const names = await startDns([['127.0.0.2', '127.0.0.1']])
    closing.push(() => names.close())
    const made = caller({ allow: rangesOf('127.0.0.1/32'), resolve: names.resolve })
    expect(await post(made, `http://several.example:${port}/`)).toMatchObject({ status: 204 })
    expect(received).toHaveLength(1)
  })

  test('a name without an address is not found, and neither is one whose name server is silent', async () => {
    const names = await startDns([[]])
    closing.push(() => names.close())
    const made = caller({ resolve: names.resolve })
    expect(await post(made, 'https://nobody.example/')).toMatchObject({ error: 'name-not-found' })
    const silent = await startDns([])
    closing.push(() => silent.close())
    const waiting = caller({ resolve: silent.resolve, timeoutMs: 200 })
    expect(await post(waiting, 'https://silent.example/')).toMatchObject({ error: 'timeout' })
  })
})
