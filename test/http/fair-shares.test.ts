import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../src/call/exchange.ts'
import { FairLimit } from '../../src/serve/fair-limit.ts'
import { whenOver } from '../support/clean-up.ts'
import { type ListeningShop, listeningShop, type ShopSettings } from '../support/listening-shop.ts'
import { openRaw, parseAnswer, type RawConnection, rawExchange } from '../support/raw-socket.ts'
import { until } from '../support/until.ts'

describe('a limit that callers share', () => {
  /** Takes one after the other until that is refused, and returns how many were had. */
  const most = (limit: FairLimit, name: string, part: string | null = null): number => {
    for (let had = 0; ; had++) {
      if (limit.take({ name, part }, 1)) continue
      limit.giveBack({ name, part }, 1)
      return had
    }
  }

  test('each newcomer gets half of what is free, whatever those before it hold', () => {
    const limit = new FairLimit(1_024)
    expect([1, 2, 3, 4].map((account) => most(limit, `account ${account}`))).toEqual([512, 256, 128, 64])
  })

  test('a subject leaves room for the others of its account, and for other accounts', () => {
    const limit = new FairLimit(900)
    const had = [most(limit, 'acme', 'mia'), most(limit, 'acme', 'noa'), most(limit, 'acme')]
    expect(had).toEqual([300, 100, 50])
    expect(most(limit, 'globex')).toBe(225)
  })

  test('what is given back is free again, and nothing is kept of it', () => {
    const limit = new FairLimit(10)
    const acme = { name: 'acme', part: 'mia' }
    expect([limit.take(acme, 3), limit.take(acme, 1)]).toEqual([true, false])
    limit.giveBack(acme, 4)
    expect([limit.total, most(limit, 'globex')]).toEqual([0, 5])
  })
})

const bounds = { bodyBytes: 400_000, answerBytes: 64_000_000 }

describe('over HTTP', () => {
  let shop: ListeningShop
  let globex: string
  const open: RawConnection[] = []
  beforeAll(async () => {
    shop = await listeningShop({ listen: { bounds } })
    globex = await shop.api.key('globex', { name: 'globex' })
  })
  afterAll(async () => {
    for (const connection of open) connection.close()
    await shop.close()
  })

  const connect = async (): Promise<RawConnection> => {
    const connection = await openRaw(shop.port)
    open.push(connection)
    return connection
  }
  const head = (line: string, key: string, ...headers: string[]): string =>
    [line, 'Host: shop.example', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n')
  const post = (key: string, length: number): string =>
    head(
      'POST /v2/customers HTTP/1.1',
      key,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      'Connection: close',
    )

  test('bodies of one account that stall are refused beyond its share, and those of others are read', async () => {
    const stalled = await Promise.all([1, 2, 3, 4, 5].map(connect))
    for (const connection of stalled) connection.send(post(shop.key, 1_000_000) + ' '.repeat(90_000))
    const refused = () => stalled.filter(({ received }) => received.startsWith('HTTP/1.1 503'))
    await until(() => refused().length === 3)
    expect(parseAnswer(refused()[0]?.received ?? '').body).toContain('more than its share')
    const body = JSON.stringify({ name: 'x'.repeat(50_000), email: 'ada@globex.example' })
    const answer = parseAnswer(await rawExchange(shop.port, post(globex, body.length) + body))
    expect([answer.status, answer.body.slice(0, 200)]).toEqual([422, expect.stringContaining('validation')])
    for (const connection of stalled) connection.close()
    // What they held is free again.
    const again = await connect()
    again.send(post(shop.key, 150_000) + ' '.repeat(149_999))
    await until(() => shop.logged.filter((line) => line.includes('"status":400')).length === 2)
    again.send('x')
    expect(parseAnswer(await again.untilClosed()).status).toBe(400)
  })
})

describe('answers that nobody reads', () => {
  /** More than the kernel buffers of a connection. */
  const big = 'x'.repeat(16_000_000)
  const sockets: Socket[] = []
  const handle = ({ headers, note, connection }: PlainRequest): PlainResponse => {
    if (note) note.account = String(headers.account)
    sockets.push(connection as Socket)
    return { status: 200, headers: {}, body: big }
  }
  const serve = async (settings: ShopSettings['listen'] = {}): Promise<number> => {
    const shop = await listeningShop({ listen: { bounds, handle, ...settings } })
    whenOver(() => shop.close())
    return shop.port
  }

  /** A connection on which an answer has begun to arrive, of which no more is read. */
  const ask = async (port: number, account: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write(`GET /big HTTP/1.1\r\nHost: a\r\nAccount: ${account}\r\nConnection: close\r\n\r\n`)
    await once(socket, 'readable')
    return socket
  }
  const bytesLeft = async (socket: Socket): Promise<number> => {
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    await once(socket, 'close')
    return bytes
  }

  test('beyond the share of their account the connection is closed; others are answered, and so is it when some were taken', async () => {
    const port = await serve()
    const first = await ask(port, 'acme')
    const second = await ask(port, 'acme')
    expect(await bytesLeft(await ask(port, 'acme'))).toBeLessThan(big.length)
    expect(await bytesLeft(await ask(port, 'globex'))).toBeGreaterThan(big.length)
    for (const waiting of [first, second]) expect(await bytesLeft(waiting)).toBeGreaterThan(big.length)
    expect(await bytesLeft(await ask(port, 'acme'))).toBeGreaterThan(big.length)
  })

  test('a client that takes nothing is cut off after a time', async () => {
    const socket = await ask(await serve({ timeouts: { untakenMs: 200 } }), 'idle')
    const served = sockets.at(-1)
    if (!served?.destroyed) await once(served as Socket, 'close')
    expect(await bytesLeft(socket)).toBeLessThan(big.length)
  })
})

describe('connections', () => {
  const serve = async (proxies: readonly string[]): Promise<number> => {
    const shop = await listeningShop({
      declare: (declared) => ({ ...declared, proxies }),
      listen: { bounds: { connections: 16 } },
    })
    whenOver(() => shop.close())
    return shop.port
  }
  /** Opens connections one after the other. Those that stay open have had an answer. */
  const opened = async (port: number, count: number, from = '127.0.0.1'): Promise<number> => {
    let answered = 0
    for (let n = 0; n < count; n++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from }).on('error', () => {})
      whenOver(() => socket.destroy())
      socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
      const isAnswered = await Promise.race([
        once(socket, 'data').then(() => true),
        once(socket, 'close').then(() => false),
      ])
      if (isAnswered) answered++
    }
    return answered
  }

  test('one address has as many as are still free, and another address is answered', async () => {
    const port = await serve([])
    expect(await opened(port, 16)).toBe(8)
    expect(await opened(port, 16, '127.0.0.2')).toBe(4)
  })

  test('a trusted proxy brings the clients of many addresses', async () => {
    const port = await serve(['127.0.0.1'])
    expect(await opened(port, 16)).toBe(16)
  })
})
