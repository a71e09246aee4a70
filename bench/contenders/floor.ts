import { randomUUIDv7 } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import {
  createAuthentication,
  database,
  fingerprintOf,
  headersOf,
  keepAliveMs,
  logAccess,
  nextRequestId,
  port,
} from './common.ts'
import { openPostgresFloor } from './floor-postgres.ts'
import { openSqliteFloor } from './floor-sqlite.ts'

/** The text of an answer, and the version of its row, the last id of its page or the id of its new row. */
export type Answer = readonly [body: string, mark: string | number]

export interface Keyed {
  readonly key: string
  readonly fingerprint: string
}

export interface FloorStore {
  caller(hash: string): Promise<readonly string[] | undefined> | readonly string[] | undefined
  read(statement: Read, values: readonly string[]): Promise<Answer> | Answer
  create(values: readonly (string | null)[], keyed: Keyed | null): Promise<Answer> | Answer
}

export type Read = 'one' | 'withCustomer' | 'withAll' | 'list' | 'listWithCustomer'

/**
 * The floor: node:http and a driver, with SQL written by hand that returns the JSON. It authenticates, logs and sends headers as
 * Nounkit does. It has no validation and hardly any errors, and does not check whether there is another page.
 */
const store = await (database.startsWith('postgres') ? openPostgresFloor : openSqliteFloor)(database)
const authenticate = createAuthentication(async (hash) => {
  const [account, consumer] = (await store.caller(hash)) ?? []
  return account && consumer ? { account, consumer } : undefined
})

const server = createServer(async (request, response) => {
  const startedAt = performance.now()
  const id = nextRequestId()
  const { method = '', url = '' } = request
  const caller = await authenticate(request.headers.authorization)
  if (!caller) return response.writeHead(401).end()
  const { account } = caller
  const send = (route: string, status: number, body: string, headers: { [name: string]: string }) => {
    response.writeHead(status, {
      ...headersOf(id),
      ...headers,
      'Content-Length': Buffer.byteLength(body),
    })
    response.end(body)
    logAccess({ ...caller, id, method, route, status, startedAt })
  }
  if (method === 'POST') {
    const sent = await bodyOf(request)
    const key = request.headers['idempotency-key']
    const keyed = typeof key === 'string' ? { key, fingerprint: fingerprintOf(sent) } : null
    const { customer_id, currency, note = null } = JSON.parse(sent)
    const now = new Date().toISOString()
    const values = [account, randomUUIDv7(), customer_id, currency, note, now]
    const [body, made] = await store.create(values, keyed)
    return send('/orders', 201, body, { ETag: '"1"', Location: `/v2/orders/${made}` })
  }
  if (url.startsWith('/v2/orders?')) {
    const statement = url.includes('include') ? 'listWithCustomer' : 'list'
    const [body, last] = await store.read(statement, [account])
    return send('/orders', 200, body, { Link: `<${url}&cursor=${last}>; rel="next"` })
  }
  const orderId = url.slice('/v2/orders/'.length, 47)
  const statement = url.length === 47 ? 'one' : url.includes('items') ? 'withAll' : 'withCustomer'
  const [body, version] = await store.read(statement, [account, orderId])
  send('/orders/{id}', 200, body, { ETag: `"${version}"` })
})

async function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => resolve(body))
  })
}

server.keepAliveTimeout = keepAliveMs
server.listen(Number(port), '127.0.0.1', () => console.log('ready'))
