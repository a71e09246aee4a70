import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import shop from '../../examples/shop/api.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { openService } from '../../src/serve/service.ts'
import { openStore } from '../../src/store/open.ts'
import { type Child, nounkit } from './child.ts'
import { emptyDatabase, type StoreKind } from './databases.ts'

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface CallOptions {
  readonly body?: unknown
  /** Used instead of the server's own key. */
  readonly key?: string
  readonly idempotencyKey?: string
  readonly headers?: { readonly [name: string]: string }
}

/** `nounkit serve` as a process of its own, which can be killed. */
export interface ServerProcess {
  readonly child: Child
  readonly url: string
  /** Resolves only when the answer has arrived whole; rejects when the connection breaks before. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>
}

/** A store with the tables and the seed of an API, and a key of acme for everything. */
export interface PreparedApi {
  readonly databaseUrl: string
  readonly key: string
  start(options?: ServerOptions): Promise<ServerProcess>
}

export interface ServerOptions {
  /** The folder of the declaration. */
  readonly api?: string
  readonly key?: string
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  /** See ChildOptions. */
  readonly under?: readonly string[]
}

export const prepareShop = (kind: StoreKind): Promise<PreparedApi> => prepareApi(kind, shop, 'examples/shop')

/** `api` is the folder of the declaration. */
export async function prepareApi(
  kind: StoreKind,
  declaration: ApiDeclaration,
  api: string,
): Promise<PreparedApi> {
  const databaseUrl = await emptyDatabase(kind)
  const service = await openService({ declaration, databaseUrl })
  await service.close()
  const key = await newKey(databaseUrl)
  return { databaseUrl, key, start: (options) => startServer(databaseUrl, { api, key, ...options }) }
}

/** Of acme, which may also write products, in a store that some service has migrated. */
export async function newKey(databaseUrl: string): Promise<string> {
  const store = await openStore(databaseUrl)
  try {
    return (
      await new KeyRing(store).create({ account: 'acme', name: 'test', scopes: ['*', 'products:write'] })
    ).secret
  } finally {
    await store.close()
  }
}

export async function startServer(databaseUrl: string, options: ServerOptions = {}): Promise<ServerProcess> {
  const { api = 'examples/shop', key = '', args = [], env = {}, under = [] } = options
  const child = nounkit(['serve', api, '--port', '0', ...args], {
    env: { DATABASE_URL: databaseUrl, NOUNKIT_RATE: 'off', NOUNKIT_LOG: 'error', ...env },
    under,
  })
  const [, url = ''] = await child.line(/is ready: (http:\S+)/)
  const agent = new Agent({ keepAlive: true, scheduling: 'fifo' })
  return { child, url, call: (method, path, given = {}) => exchange(agent, url + path, method, key, given) }
}

function exchange(
  agent: Agent,
  url: string,
  method: string,
  key: string,
  { body, idempotencyKey, headers, key: given }: CallOptions,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const outgoing = request(url, {
      method,
      agent,
      headers: {
        Authorization: `Bearer ${given ?? key}`,
        ...(sent !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(sent),
        }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...headers,
      },
    })
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      incoming.once('error', reject)
      incoming.once('end', () => {
        if (incoming.complete) resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text })
        else reject(new Error('The answer broke off'))
      })
    })
    outgoing.end(sent)
  })
}

/** The row of an answer. */
export const dataOf = ({ text }: Reply): { readonly id: string; readonly [field: string]: unknown } =>
  (JSON.parse(text) as { data: { id: string } }).data
