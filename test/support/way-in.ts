import { request as plainRequest } from 'node:http'
import { Readable } from 'node:stream'
import { client } from '../../src/client/nounkit-client.ts'
import type { ApiDeclaration } from '../../src/declare/api.ts'
import { listen } from '../../src/serve/listen.ts'
import { mount } from '../../src/serve/mounted.ts'
import { ownedPaths } from '../../src/serve/owned-paths.ts'
import { type TestApi, type TestOptions, testApi as testApiByFetch } from '../../src/testing.ts'
import { whenOver } from './clean-up.ts'
import { hosts } from './host-servers.ts'
import { atRoot } from './prefix-of-answers.ts'

/** How HTTP tests reach an API: `fetch` of the test seam, `port` (a port of its own), or one of the servers of `hosts`, mounted below /api. */
let way = process.env.NOUNKIT_TEST_THROUGH ?? 'fetch'

export const waysIn: readonly string[] = ['port', ...Object.keys(hosts)]

/** Returns the way before. */
export function goThrough(next: string): string {
  if (next !== 'fetch' && !waysIn.includes(next))
    throw new Error(`There is no way in "${next}". Write one of: fetch, ${waysIn.join(', ')}.`)
  const before = way
  way = next
  return before
}

type Send = (request: Request) => Promise<Response>

/** The test seam, reached as the run says. Tests call it as if the API were at the root. */
export async function testApi<Api extends ApiDeclaration>(
  declaration: Api,
  options: TestOptions = {},
): Promise<TestApi<Api>> {
  goThrough(way)
  if (way === 'fetch') return testApiByFetch(declaration, options)
  const prefix = way === 'port' ? {} : { prefix: '/api' }
  const api = await testApiByFetch(declaration, { ...options, ...prefix })
  const send = way === 'port' ? await atPort(api.service) : await withinHost(api.service, options.warn)
  const fetch: TestApi['fetch'] = (path, init) =>
    send(path instanceof Request ? path : new Request(new URL(path, 'http://localhost'), init))
  const key = api.key as (...given: unknown[]) => Promise<string>
  return {
    ...api,
    fetch,
    async client(...given: unknown[]) {
      const version = api.service.model.head.name as never
      return client<Api>({ url: 'http://localhost', key: await key(...given), version, fetch })
    },
  }
}

async function atPort(service: TestApi['service']): Promise<Send> {
  const logger = { error() {}, info() {} }
  const served = await listen({
    service,
    log: { logger, accessLog: null },
    port: 0,
    host: '127.0.0.1',
    ownsProcess: false,
  })
  whenOver(() => served.stop({ graceMs: 100 }))
  return sender(served.url)
}

async function withinHost(service: TestApi['service'], warn: TestOptions['warn']): Promise<Send> {
  const logger = { error: ({ err }: { err: unknown }, message: string) => warn?.(message, err), info() {} }
  const { fetch, handler, close } = mount(service, { logger })
  const isOwn = ownedPaths(service.model)
  const origin = await hosts[way]?.({
    fetch: (request, { address = '' } = {}) => fetch(request, { address }),
    handler,
    owns: (url) => isOwn(new URL(url, 'http://localhost').pathname),
  })
  whenOver(close)
  const send = sender(`${origin}/api`)
  return async (request) => atRoot(await send(request), '/api')
}

/** Headers of a connection or its host, which an answer of the test seam does not have. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'date',
  'transfer-encoding',
  'x-powered-by',
])

/** Sends just the headers that a test gives, which `fetch` does not. Each request has a connection of its own: no host closes one that is used again. */
function sender(base: string): Send {
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    const path = pathname === '/' ? '' : pathname
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : null
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const { signal, method } = request
    const headers = {
      ...Object.fromEntries(request.headers),
      ...(body && { 'content-length': String(body.length) }),
    }
    const outgoing = plainRequest(base + path + search, { method, headers, agent: false, signal })
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      const status = incoming.statusCode ?? 0
      const isBodiless = method === 'HEAD' || status === 204 || status === 304
      if (isBodiless) incoming.resume()
      const raw = Array.from({ length: incoming.rawHeaders.length / 2 }, (_, at) =>
        incoming.rawHeaders.slice(2 * at, 2 * at + 2),
      ).filter(([name = '']) => !ofConnection.has(name.toLowerCase()))
      const shown = isBodiless ? null : (Readable.toWeb(incoming) as unknown as ReadableStream)
      resolve(new Response(shown, { status, headers: raw as [string, string][] }))
    })
    outgoing.end(body ?? undefined)
    return promise
  }
}
