import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { openRaw, parseAnswer, rawExchange } from '../support/raw-socket.ts'
import { describeWalked } from '../support/stores.ts'

describeWalked('the shell', (store) => {
  let shop: ListeningShop

  beforeAll(async () => {
    const timeouts = { headersMs: 400, requestMs: 800, checkMs: 50 }
    shop = await listeningShop({ databaseUrl: await store.url(), listen: { timeouts } })
  })
  afterAll(() => shop.close())

  const head = (line: string, ...headers: string[]) =>
    [line, 'Host: shop.example', ...headers, '', ''].join('\r\n')
  const authorized = () => `Authorization: Bearer ${shop.key}`

  async function answerTo(bytes: string | Uint8Array) {
    return parseAnswer(await rawExchange(shop.port, bytes))
  }

  function expectProblem(answer: ReturnType<typeof parseAnswer>, status: number, type: string) {
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('x-request-id')).toBe(JSON.parse(answer.body).instance)
    expect(JSON.parse(answer.body).type).toBe(`/problems/${type}`)
  }

  describe('bytes that are no request are refused as a problem, and the connection ends', () => {
    const broken: [string, string][] = [
      ['text that is not HTTP', 'hello there\r\n\r\n'],
      ['a line feed instead of CRLF within headers', 'GET / HTTP/1.1\nHost: a\n\n'],
      [
        'Content-Length and Transfer-Encoding together',
        `${head('POST /v2/orders HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      ],
      [
        'Transfer-Encoding and Content-Length together',
        `${head('POST /v2/orders HTTP/1.1', 'Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`,
      ],
      [
        'two Content-Lengths',
        `${head('POST /v2/orders HTTP/1.1', 'Content-Length: 5', 'Content-Length: 6')}{}`,
      ],
      ['a negative Content-Length', head('POST /v2/orders HTTP/1.1', 'Content-Length: -1')],
      ['a header name with a space', head('GET / HTTP/1.1', 'X Y: 1')],
      ['a header value with a NUL', head('GET / HTTP/1.1', 'X: a\0b')],
      ['a folded header', head('GET / HTTP/1.1', 'X: a\r\n b')],
      ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['CONNECT', 'CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example\r\n\r\n'],
      ['no Host', 'GET /v2 HTTP/1.1\r\nConnection: close\r\n\r\n'],
      ['two Hosts', head('GET /v2 HTTP/1.1', 'Host: other.example', 'Connection: close')],
      ['a Host with a space', 'GET /v2 HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'],
    ]
    test.each(broken)('%s', async (_, bytes) => {
      expectProblem(await answerTo(bytes), 400, 'bad-request')
    })

    const badChunk = (...headers: string[]) =>
      `${head('POST /v2/orders HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked', ...headers)}zz\r\n`

    test('a chunk size that is none', async () => {
      expectProblem(await answerTo(badChunk(authorized())), 400, 'bad-request')
    })

    test('a chunk size that is none, of a request that was refused before its body: that answer arrives', async () => {
      expectProblem(await answerTo(badChunk()), 401, 'credentials-missing')
    })
  })

  describe('transfer codings', () => {
    const posted = (coding: string, version = 'HTTP/1.1') =>
      `${head(`POST /v2/customers ${version}`, authorized(), 'Content-Type: application/json', `Transfer-Encoding: ${coding}`)}2\r\n{}\r\n0\r\n\r\n`

    test.each(['gzip, chunked', 'GZIP , Chunked', 'deflate,gzip,chunked', 'identity, chunked'])(
      '%s is 501: what is inside the chunks cannot be read',
      async (coding) => {
        const answer = await answerTo(posted(coding))
        expectProblem(answer, 501, 'transfer-coding-unknown')
        expect(answer.headers.get('connection')).toBe('close')
      },
    )

    test.each(['gzip', 'chunked, gzip', 'chunked, chunked', 'chunked;q=1', 'chunked, '])(
      '%s is 400: where the body ends cannot be told for sure',
      async (coding) => {
        expectProblem(await answerTo(posted(coding)), 400, 'bad-request')
      },
    )

    test('chunked is 400 in HTTP/1.0, which has none', async () => {
      expectProblem(await answerTo(posted('chunked', 'HTTP/1.0')), 400, 'bad-request')
    })

    test.each(['chunked', 'Chunked'])('%s is read', async (coding) => {
      const connection = await openRaw(shop.port)
      connection.send(posted(coding))
      const received = await connection.until(/\r\n\r\n\{/)
      connection.close()
      expectProblem(parseAnswer(received), 422, 'validation-failed')
    })
  })

  describe('versions of HTTP', () => {
    test.each(['HTTP/2.0', 'HTTP/3.0', 'HTTP/0.9'])('%s in a request line is 505', async (version) => {
      const answer = await answerTo(head(`GET /v2/products ${version}`, authorized()))
      expectProblem(answer, 505, 'http-version-unsupported')
    })

    test('HTTP/1.0 is answered', async () => {
      expect((await answerTo(head('GET /v2/products HTTP/1.0', authorized()))).status).toBe(200)
    })

    test.each(['HTTP/x.y', 'HTTP/11'])('%s is 400', async (version) => {
      expectProblem(await answerTo(head(`GET /v2/products ${version}`)), 400, 'bad-request')
    })
  })

  describe('a refusal before routing says that the version is deprecated, where the path is known', () => {
    const expectSignals = (answer: ReturnType<typeof parseAnswer>, next: string) => {
      expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/)
      expect(answer.headers.get('sunset')).toMatch(/GMT$/)
      expect(answer.headers.get('link')).toContain(`<${next}>; rel="successor-version"`)
    }
    const cases: [string, number, string, string][] = [
      ['431', 431, head('GET /v1/clients HTTP/1.1', `X: ${'a'.repeat(20_000)}`), '/v2/customers'],
      ['414 past all limits', 414, `GET /v1/clients?x=${'a'.repeat(40_000)}`, '/v2/customers'],
      ['414 within the path', 414, `GET /v1/${'a'.repeat(40_000)}`, '/v2'],
      [
        '414',
        414,
        head(`GET /v1/clients?x=${'a'.repeat(9_000)} HTTP/1.1`, 'Connection: close'),
        '/v2/customers',
      ],
      ['400 by a header', 400, head('GET /v1/clients/17 HTTP/1.1', 'X Y: 1'), '/v2/customers/17'],
      [
        '400 in the absolute form',
        400,
        head('GET http://shop.example/v1/clients HTTP/1.1', 'X Y: 1'),
        '/v2/customers',
      ],
      [
        '400 by its Host',
        400,
        'GET /v1/clients HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
        '/v2/customers',
      ],
      ['501', 501, head('POST /v1/clients HTTP/1.1', 'Transfer-Encoding: gzip, chunked'), '/v2/customers'],
      ['505', 505, head('GET /v1/clients HTTP/3.0'), '/v2/customers'],
    ]
    test.each(cases)('%s', async (_, status, bytes, next) => {
      const answer = await answerTo(bytes)
      expect(answer.status).toBe(status)
      expectSignals(answer, next)
    })

    test('408 within a body', async () => {
      const answer = await answerTo(
        head(
          'POST /v1/clients HTTP/1.1',
          authorized(),
          'Content-Type: application/json',
          'Content-Length: 9',
        ),
      )
      expectProblem(answer, 408, 'request-timeout')
      expectSignals(answer, '/v2/customers')
    })

    test('behind another request it is the path of the broken one that counts', async () => {
      const late = async (...bytes: string[]) => {
        const received = await rawExchange(shop.port, bytes.join(''))
        return parseAnswer(received.slice(received.lastIndexOf('HTTP/1.1 400')))
      }
      const [older, newer] = [head('GET /v1 HTTP/1.1'), head('GET /v2 HTTP/1.1')]
      expectSignals(await late(newer, head('GET /v1/clients HTTP/1.1', 'X Y: 1')), '/v2/customers')
      for (const broken of [head('GET /v2/customers HTTP/1.1', 'X Y: 1'), 'nonsense\r\n\r\n']) {
        const answer = await late(older, broken)
        expect(answer.status).toBe(400)
        expect(answer.headers.has('deprecation')).toBe(false)
      }
    })
  })

  describe('OPTIONS *', () => {
    test('asks what the server can do at all, and needs no key', async () => {
      const answer = await answerTo(head('OPTIONS * HTTP/1.1', 'Connection: close'))
      expect(answer.status).toBe(204)
      expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
      expect(answer.body).toBe('')
    })

    test('no other method has that target', async () => {
      for (const method of ['GET', 'POST'])
        expectProblem(await answerTo(head(`${method} * HTTP/1.1`, 'Connection: close')), 400, 'bad-request')
    })
  })

  describe('sizes are limited while reading', () => {
    test('a URL of more than half the header limit is 414', async () => {
      const answer = await answerTo(
        head(`GET /v2/orders?x=${'a'.repeat(9_000)} HTTP/1.1`, 'Connection: close'),
      )
      expectProblem(answer, 414, 'uri-too-long')
    })

    test('a URL past all limits is 414 before it is complete', async () => {
      expectProblem(await answerTo(`GET /${'a'.repeat(40_000)}`), 414, 'uri-too-long')
    })

    test('headers of more than 16 KiB are 431 before they are complete', async () => {
      const connection = await openRaw(shop.port)
      connection.send(`GET /v2/orders HTTP/1.1\r\nHost: a\r\n`)
      for (let i = 0; i < 20; i++) connection.send(`X-${i}: ${'a'.repeat(1_000)}\r\n`)
      expectProblem(parseAnswer(await connection.untilClosed()), 431, 'headers-too-large')
    })

    test('a body announced as too large is 413 before any of it came', async () => {
      const answer = await answerTo(
        head(
          'POST /v2/customers HTTP/1.1',
          authorized(),
          'Content-Type: application/json',
          'Content-Length: 99999999',
        ),
      )
      expectProblem(answer, 413, 'body-too-large')
      expect(JSON.parse(answer.body).limit).toBe(1_048_576)
      expect(answer.headers.get('connection')).toBe('close')
    })

    test('a chunked body is 413 as soon as it is too large', async () => {
      const connection = await openRaw(shop.port)
      connection.send(
        head(
          'POST /v2/customers HTTP/1.1',
          authorized(),
          'Content-Type: application/json',
          'Transfer-Encoding: chunked',
        ),
      )
      const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
      for (let i = 0; i < 20; i++) connection.send(chunk)
      const received = await connection.until(/body-too-large/)
      connection.close()
      expectProblem(parseAnswer(received), 413, 'body-too-large')
    })

    test('a client that first sends all of a body too large still gets the answer', async () => {
      const answer = await fetch(`${shop.server.url}/v2/customers`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${shop.key}`, 'Content-Type': 'application/json' },
        body: ' '.repeat(4_000_000),
      })
      expect(answer.status).toBe(413)
      expect(await answer.json()).toMatchObject({ type: '/problems/body-too-large' })
    })

    test('the order of refusal holds: without a key it is 401, however large the body', async () => {
      const answer = await fetch(`${shop.server.url}/v2/customers`, {
        method: 'POST',
        body: ' '.repeat(2_000_000),
      })
      expect(answer.status).toBe(401)
    })
  })

  describe('clients that dribble are cut off with 408', () => {
    test('while sending headers', async () => {
      const connection = await openRaw(shop.port)
      connection.send('GET /v2/orders HTTP/1.1\r\nHost: a\r\nX-Slow: ')
      const dribble = setInterval(() => connection.send('a'), 50)
      const received = await connection.untilClosed().finally(() => clearInterval(dribble))
      expectProblem(parseAnswer(received), 408, 'request-timeout')
    })

    test('while sending a body', async () => {
      const connection = await openRaw(shop.port)
      connection.send(
        head(
          'POST /v2/customers HTTP/1.1',
          authorized(),
          'Content-Type: application/json',
          'Content-Length: 500',
        ),
      )
      const dribble = setInterval(() => connection.send(' '), 50)
      const received = await connection.untilClosed().finally(() => clearInterval(dribble))
      expectProblem(parseAnswer(received), 408, 'request-timeout')
    })

    test('a connection that never says anything is closed', async () => {
      const connection = await openRaw(shop.port)
      await connection.untilClosed()
    })
  })

  describe('what HTTP asks of a server', () => {
    test('HEAD has the headers of GET and no body', async () => {
      const get = await answerTo(head('GET /v2/products?limit=1 HTTP/1.1', authorized(), 'Connection: close'))
      const headed = await answerTo(
        head('HEAD /v2/products?limit=1 HTTP/1.1', authorized(), 'Connection: close'),
      )
      expect(get.status).toBe(200)
      expect(headed.status).toBe(200)
      expect(headed.body).toBe('')
      const but = (headers: Map<string, string>) =>
        [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
      expect(but(headed.headers)).toEqual(but(get.headers))
      expect(headed.headers.get('content-length')).toBe(String(Buffer.byteLength(get.body, 'latin1')))
    })

    test('Content-Length counts bytes, for a list as for one row', async () => {
      const body = Buffer.from(JSON.stringify({ name: 'Åsa 😀 日本', email: 'asa@shop.example' }))
      const sent = head(
        'POST /v2/customers HTTP/1.1',
        authorized(),
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
      )
      const made = await answerTo(Buffer.concat([Buffer.from(sent), body]))
      expect(made.status).toBe(201)
      const path = String(made.headers.get('location'))
      for (const target of [
        path,
        '/v2/customers?filter[email]=asa@shop.example',
        '/v2/customers?sort=-email',
      ]) {
        const answer = await answerTo(head(`GET ${target} HTTP/1.1`, authorized(), 'Connection: close'))
        // The socket is read a character per byte.
        expect(answer.headers.get('content-length'), target).toBe(String(answer.body.length))
        expect(() => JSON.parse(Buffer.from(answer.body, 'latin1').toString()), target).not.toThrow()
      }
    })

    test('the absolute form of a target means the same as the origin form', async () => {
      const answer = await answerTo(head('GET http://shop.example/v2 HTTP/1.1', 'Connection: close'))
      expect(answer.status).toBe(200)
    })

    test('pipelined requests are answered in order, a broken one last', async () => {
      const received = await rawExchange(
        shop.port,
        `${head('GET /v2/products?limit=1 HTTP/1.1', authorized()) + head('GET /v9 HTTP/1.1')}nonsense\r\n\r\n`,
      )
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])
      expect(statuses).toEqual(['200', '404', '400'])
    })

    test('a body is asked for with 100 Continue only when it will be read', async () => {
      const expecting = ['Expect: 100-continue', 'Content-Type: application/json', 'Connection: close']
      const body = JSON.stringify({ name: 'Eve', email: 'eve@expect.example' })
      const connection = await openRaw(shop.port)
      connection.send(
        head('POST /v2/customers HTTP/1.1', authorized(), `Content-Length: ${body.length}`, ...expecting),
      )
      await connection.until(/HTTP\/1\.1 100 Continue/)
      connection.send(body)
      expect(await connection.untilClosed()).toMatch(/HTTP\/1\.1 201 /)
      const refused = await rawExchange(
        shop.port,
        head('POST /v2/customers HTTP/1.1', `Content-Length: ${body.length}`, ...expecting),
      )
      expect(refused).toMatch(/^HTTP\/1\.1 401 /)
    })

    test('two Authorization headers are no credentials, even if the first alone would be', async () => {
      const answer = await answerTo(
        head('GET /v2/orders HTTP/1.1', authorized(), 'Authorization: Bearer other', 'Connection: close'),
      )
      expectProblem(answer, 401, 'credentials-invalid')
    })

    test('two Idempotency-Key headers are 400', async () => {
      const answer = await answerTo(
        `${head(
          'POST /v2/customers HTTP/1.1',
          authorized(),
          'Content-Type: application/json',
          'Content-Length: 2',
          'Idempotency-Key: a',
          'Idempotency-Key: a',
          'Connection: close',
        )}{}`,
      )
      expectProblem(answer, 400, 'idempotency-key-malformed')
    })

    test('every answer forbids sniffing and framing, names its request, and hides what serves it', async () => {
      for (const path of ['/v2/products', '/v2/nothing', '/livez', '/v2']) {
        const { headers } = await answerTo(head(`GET ${path} HTTP/1.1`, authorized(), 'Connection: close'))
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
        expect(headers.get('x-request-id')).toMatch(/^[\w-]+$/)
        expect(headers.has('server')).toBe(false)
        expect(headers.has('x-powered-by')).toBe(false)
      }
    })

    test('a request id from a stranger is not taken over', async () => {
      const { headers } = await answerTo(head('GET /v2 HTTP/1.1', 'X-Request-Id: mine', 'Connection: close'))
      expect(headers.get('x-request-id')).not.toBe('mine')
    })
  })

  test('after all that the service answers as before', async () => {
    await sleep(10)
    const answer = await fetch(`${shop.server.url}/v2/products?limit=1`, {
      headers: { Authorization: `Bearer ${shop.key}` },
    })
    expect(answer.status).toBe(200)
  })
})
