import { beforeAll, expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../src/call/exchange.ts'
import { listeningShop, type ShopSettings } from '../support/listening-shop.ts'
import { openRaw } from '../support/raw-socket.ts'
import { describeWalked } from '../support/stores.ts'

describeWalked('stopping', (store) => {
  let databaseUrl: string
  beforeAll(async () => {
    databaseUrl = await store.url()
  })
  let shops = 0
  const openShop = (settings: ShopSettings = {}) =>
    listeningShop({ databaseUrl, keyName: `shop ${++shops}`, ...settings })

  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

  /** An engine whose answers come when the test says so. */
  function heldEngine() {
    const waiting: (() => void)[] = []
    const handle = () =>
      new Promise<PlainResponse>((resolve) =>
        waiting.push(() => resolve({ status: 200, headers: {}, body: 'done' })),
      )
    return { handle, waiting, release: () => waiting.splice(0).map((go) => go()) }
  }

  test('stop finishes what is in flight, says Connection: close, and takes no more', async () => {
    const engine = heldEngine()
    const shop = await openShop({ listen: { handle: engine.handle } })
    const busy = await openRaw(shop.port)
    const silent = await openRaw(shop.port)
    busy.send(get('/'))
    await expect.poll(() => engine.waiting.length).toBe(1)
    const stopped = shop.server.stop()
    await silent.untilClosed()
    await expect(openRaw(shop.port)).rejects.toThrow('ECONNREFUSED')
    engine.release()
    const received = await busy.untilClosed()
    expect(received).toMatch(/^HTTP\/1\.1 200 .*connection: close.*done$/is)
    await stopped
    await shop.api.close()
  })

  /** An engine that answers each path when the test says so. */
  function engineByPath() {
    const begun = new Map<string, () => void>()
    const handle = ({ path }: PlainRequest) =>
      new Promise<PlainResponse>((resolve) =>
        begun.set(path, () => resolve({ status: 200, headers: {}, body: `done ${path}` })),
      )
    return { handle, begun, answer: (path: string) => begun.get(path)?.() }
  }
  const answersIn = (received: string) =>
    received
      .split(/(?=HTTP\/1\.1 )/)
      .map((text) => `${/done .*$/.exec(text)?.[0]}, ${/^connection: (.*)\r$/im.exec(text)?.[1]}`)

  test('requests that had come on one connection are all answered, and the last answer says Connection: close', async () => {
    const engine = engineByPath()
    const shop = await openShop({ listen: { handle: engine.handle } })
    const inTurn = await openRaw(shop.port)
    inTurn.send(get('/a') + get('/b') + get('/c'))
    const lastFirst = await openRaw(shop.port)
    lastFirst.send(get('/d') + get('/e'))
    const lastBefore = await openRaw(shop.port)
    lastBefore.send(get('/f') + get('/g'))
    await expect.poll(() => engine.begun.size).toBe(7)
    engine.answer('/g')
    await new Promise((resolve) => setTimeout(resolve, 20))
    const stopped = shop.server.stop({ graceMs: 60_000 })
    for (const path of ['/a', '/b', '/c', '/e']) engine.answer(path)
    // What comes when an answer has said that it is the last would never be answered.
    await new Promise((resolve) => setTimeout(resolve, 20))
    lastFirst.send(get('/too-late'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    for (const path of ['/d', '/f']) engine.answer(path)
    expect(answersIn(await inTurn.untilClosed())).toEqual([
      'done /a, keep-alive',
      'done /b, keep-alive',
      'done /c, close',
    ])
    expect(answersIn(await lastFirst.untilClosed())).toEqual(['done /d, keep-alive', 'done /e, close'])
    expect(answersIn(await lastBefore.untilClosed())).toEqual(['done /f, keep-alive', 'done /g, keep-alive'])
    expect(engine.begun.has('/too-late')).toBe(false)
    await stopped
    await shop.api.close()
  })

  test('of creates that come together while it stops, those that are made are answered', async () => {
    const shop = await openShop()
    const creates = Array.from({ length: 30 }, (_, n) => {
      const body = JSON.stringify({ name: 'Together', email: `together-${n}@shop.example` })
      const head = `POST /v2/customers HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.key}\r\nContent-Type: application/json`
      return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    })
    const client = await openRaw(shop.port)
    client.send(creates.join(''))
    await client.until(/HTTP/)
    client.send(creates.map((create) => create.replace('together-', 'together+')).join(''))
    const stopped = shop.server.stop({ lingerMs: 50 })
    const received = await client.untilClosed()
    await stopped
    const rows = await shop.api.service.store.first(
      `SELECT count(*) FROM "customers" WHERE "name" = 'Together'`,
      [],
    )
    expect(received.match(/HTTP\/1\.1 201 /g)).toHaveLength(Number(rows?.[0]))
    await shop.api.close()
  })

  test('while it lingers it still answers, says it is not ready, and closes each connection', async () => {
    const shop = await openShop()
    const stopped = shop.server.stop({ lingerMs: 500 })
    const ready = await fetch(`${shop.server.url}/readyz`)
    const index = await fetch(`${shop.server.url}/v2`)
    expect(ready.status).toBe(503)
    expect(index.status).toBe(200)
    expect(index.headers.get('connection')).toBe('close')
    await stopped
    await shop.api.close()
  })

  test('what does not end within the grace is cut off', async () => {
    const engine = heldEngine()
    const shop = await openShop({ listen: { handle: engine.handle } })
    const busy = await openRaw(shop.port)
    busy.send(get('/'))
    await expect.poll(() => engine.waiting.length).toBe(1)
    await shop.server.stop({ graceMs: 50 })
    expect(await busy.untilClosed()).toBe('')
    await shop.api.close()
  })

  test('past the ceiling of requests in flight a request is 503 with Retry-After at once, and the next is served when one has left', async () => {
    const engine = heldEngine()
    const shop = await openShop({
      declare: (declared) => ({ ...declared, limits: { ...declared.limits, requestsInFlight: 2 } }),
      listen: { handle: engine.handle },
    })
    const first = [fetch(shop.server.url), fetch(shop.server.url)]
    await expect.poll(() => engine.waiting.length).toBe(2)
    const refused = await fetch(shop.server.url)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
    })
    expect((await fetch(`${shop.server.url}/livez`)).status).toBe(200)
    engine.release()
    expect((await Promise.all(first)).map((answer) => answer.status)).toEqual([200, 200])
    const next = fetch(shop.server.url)
    await expect.poll(() => engine.waiting.length).toBe(1)
    engine.release()
    expect((await next).status).toBe(200)
    await shop.close()
  })

  test('an engine that throws is a 500 that tells nothing, and the log has the cause', async () => {
    const handle = () => {
      throw new Error('the secret cause')
    }
    const shop = await openShop({ listen: { handle } })
    const answer = await fetch(shop.server.url)
    const body = await answer.text()
    expect(answer.status).toBe(500)
    expect(body).not.toContain('secret cause')
    expect(shop.logged.join('')).toContain('the secret cause')
    await shop.close()
  })

  test('a header that cannot be written is a 500, not a crash', async () => {
    const handle = () => ({ status: 200, headers: { Location: 'a\r\nSet-Cookie: b' }, body: null })
    const shop = await openShop({ listen: { handle } })
    const answer = await fetch(shop.server.url)
    expect(answer.status).toBe(500)
    expect(answer.headers.has('set-cookie')).toBe(false)
    await shop.close()
  })

  test('a client that is slow with its body does not count as in flight: others are served meanwhile', async () => {
    const shop = await openShop({
      declare: (declared) => ({ ...declared, limits: { ...declared.limits, requestsInFlight: 1 } }),
    })
    const body = JSON.stringify({ name: 'Slow', email: 'slow@shop.example' })
    const slow = await openRaw(shop.port)
    const head = [
      'POST /v2/customers HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${shop.key}`,
      'Content-Type: application/json',
      'Expect: 100-continue',
      'Connection: close',
      `Content-Length: ${body.length}`,
    ]
    slow.send(`${head.join('\r\n')}\r\n\r\n`)
    await slow.until(/100 Continue/)
    const call = () =>
      fetch(`${shop.server.url}/v2/products`, { headers: { Authorization: `Bearer ${shop.key}` } })
    expect((await call()).status).toBe(200)
    slow.send(body)
    expect(await slow.untilClosed()).toMatch(/HTTP\/1\.1 201 /)
    expect((await call()).status).toBe(200)
    const figures = await (await fetch(`${shop.server.url}/metrics`)).text()
    expect(figures).toContain('nounkit_requests_in_flight 0\n')
    await shop.close()
  })
  test('bodies that all come after their headers are held to the ceiling too', async () => {
    const entered: (() => void)[] = []
    const handle = async (request: PlainRequest): Promise<PlainResponse> => {
      await request.readBody(100_000)
      await new Promise<void>((resolve) => entered.push(resolve))
      return { status: 201, headers: {}, body: null }
    }
    const shop = await openShop({
      declare: (declared) => ({ ...declared, limits: { ...declared.limits, requestsInFlight: 2 } }),
      listen: { handle },
    })
    // Larger than a rest that is read away: all of it has come, so the connection need not end.
    const body = 'x'.repeat(80_000)
    const head = `POST /v2/customers HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`
    const clients = await Promise.all(Array.from({ length: 6 }, () => openRaw(shop.port)))
    for (const client of clients) client.send(head + body.slice(0, 10))
    const figure = async (name: string) =>
      new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch(`${shop.server.url}/metrics`)).text())?.[1]
    await expect.poll(() => figure('nounkit_requests_in_flight')).toBe('0')
    for (const client of clients) client.send(body.slice(10))
    const answered = (status: number) =>
      clients.filter(({ received }) => received.startsWith(`HTTP/1.1 ${status} `))
    await expect.poll(() => answered(503).length).toBe(4)
    expect(entered).toHaveLength(2)
    for (const { received } of answered(503)) {
      expect(received).toMatch(/^retry-after: 1\r$/im)
      expect(received).toMatch(/^connection: keep-alive\r$/im)
    }
    expect(await figure('nounkit_requests_turned_away_total')).toBe('4')
    for (const go of entered.splice(0)) go()
    await expect.poll(() => answered(201).length).toBe(2)
    expect(await figure('nounkit_requests_in_flight')).toBe('0')
    for (const client of clients) client.close()
    await shop.close()
  })
})
