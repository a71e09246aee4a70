import { type ChildProcess, fork } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify, { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { api } from '../src/declare/api.ts'
import { readOnly } from '../src/declare/field.ts'
import { resource } from '../src/declare/resource.ts'
import { KeyRing } from '../src/guard/key-ring.ts'
import { openService } from '../src/server-door.ts'
import { openStore } from '../src/store/open.ts'
import {
  createAuthentication,
  headersOf,
  keepAliveMs,
  logAccess,
  nextRequestId,
} from './contenders/common.ts'

/**
 * What one row costs that code answers, beside two routes of Fastify written by hand: `node bench/coded.ts [seconds]`. Each server is a
 * process of its own; turns alternate, and all write a line for each request, as `nounkit serve` does.
 *
 * The route by hand does what those of the other benchmarks do (contenders/common.ts): a schema for its answer, the same look at the key, the
 * same headers; and an entity tag of its text. The least route has a schema and compares the key with a text. Neither bounds its time, counts
 * usage, has metrics or keeps requests for a console, and their serializer does not look at what a field has.
 */
const turns = 8
const aim = 0.8

interface Quote {
  readonly id: string
  readonly carrier: string
  readonly price: number
}
const quotes = new Map<string, Quote>(
  Array.from({ length: 1_000 }, (_, at) => [`q-${at}`, { id: `q-${at}`, carrier: 'dhl', price: 490 + at }]),
)

const declaration = api('quotes', {
  resources: [
    resource('quotes', {
      fields: { carrier: z.string().max(20), price: readOnly(z.int()) },
      answers: { get: (id) => quotes.get(id) ?? null },
    }),
  ],
})

const ofTheBenchmark = 'of-the-benchmark'
async function fastifyServer(
  around: (app: FastifyInstance) => void,
): Promise<{ readonly port: number; readonly key: string }> {
  const shape = { id: { type: 'string' }, carrier: { type: 'string' }, price: { type: 'integer' } }
  const answer = { type: 'object', properties: { data: { type: 'object', properties: shape } } }
  const app = fastify({ genReqId: nextRequestId, keepAliveTimeout: keepAliveMs })
  around(app)
  app.addHook('onResponse', async ({ id, method, routeOptions }, { statusCode: status, elapsedTime }) => {
    const startedAt = performance.now() - elapsedTime
    logAccess({
      account: 'acme',
      consumer: 'bench',
      id,
      method,
      route: routeOptions.url ?? '',
      status,
      startedAt,
    })
  })
  app.get<{ Params: { id: string } }>(
    '/v1/quotes/:id',
    { schema: { response: { 200: answer } } },
    async ({ params }, reply) => {
      const data = quotes.get(params.id)
      return data ? { data } : reply.code(404).send()
    },
  )
  const listening = await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: Number(new URL(listening).port), key: ofTheBenchmark }
}

const sides = {
  async Nounkit(folder: string) {
    const database = `sqlite:${join(folder, 'quotes.db')}`
    const service = await openService(declaration, { database, rate: 'off', log: 'info' })
    const store = await openStore(database)
    const { secret } = await new KeyRing(store).create({ account: 'acme', name: 'bench', scopes: ['*'] })
    await store.close()
    const { url } = await service.listen({ port: 0 })
    return { port: Number(new URL(url).port), key: secret }
  },
  'Fastify by hand': () =>
    fastifyServer((app) => {
      const authenticate = createAuthentication(() => ({ account: 'acme', consumer: 'bench' }))
      app.addHook('onRequest', async (request, reply) => {
        const caller = await authenticate(request.headers.authorization)
        if (!caller) return reply.code(401).send()
        reply.headers(headersOf(request.id))
      })
      app.addHook('onSend', async (request, reply, body) => {
        const tag = `"${hash('sha1', String(body), 'base64url')}"`
        reply.header('ETag', tag)
        if (request.headers['if-none-match'] !== tag) return body
        reply.code(304)
        return null
      })
    }),
  'the least route': () =>
    fastifyServer((app) => {
      app.addHook('onRequest', async ({ headers }, reply) => {
        if (headers.authorization !== `Bearer ${ofTheBenchmark}`) return reply.code(401).send()
      })
    }),
}
type Side = keyof typeof sides
const names = Object.keys(sides) as Side[]

/** A process with one of the servers: tells its port and key, and its processor time when asked. */
async function serve(side: Side, folder: string): Promise<void> {
  process.send?.(await sides[side](folder))
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.on('disconnect', () => process.exit())
}

interface Served {
  readonly child: ChildProcess
  readonly port: number
  readonly key: string
}

const told = async <T>(child: ChildProcess): Promise<T> => (await once(child, 'message'))[0]

async function cpuMicros({ child }: Served): Promise<number> {
  child.send('cpu')
  const { user, system } = await told<NodeJS.CpuUsage>(child)
  return user + system
}

const agent = new Agent({ keepAlive: true })
const get = ({ port, key }: Served, id: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    const sent = request({ port, path: `/v1/quotes/${id}`, headers, agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${answer.statusCode}`))
      answer.resume().once('end', resolve)
    })
    sent.once('error', reject)
    sent.end()
  })

/** Processor time of the server for a request, in microseconds. */
async function turn(served: Served, ms: number): Promise<number> {
  const [before, begin] = [await cpuMicros(served), performance.now()]
  let calls = 0
  const calling = async () => {
    while (performance.now() - begin < ms) await get(served, `q-${calls++ % 1_000}`)
  }
  await Promise.all(Array.from({ length: 16 }, calling))
  return ((await cpuMicros(served)) - before) / calls
}

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

async function compare(ms: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-coded-'))
  const served = new Map<Side, Served>()
  for (const side of names) {
    const child = fork(import.meta.filename, ['serve', side, folder], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    served.set(side, { child, ...(await told<{ port: number; key: string }>(child)) })
  }
  const figures = new Map(names.map((side) => [side, [] as number[]]))
  for (let at = -1; at < turns; at++)
    for (const [side, server] of served) {
      const micros = await turn(server, ms)
      // The first turn warms up.
      if (at >= 0) figures.get(side)?.push(micros)
    }
  const [ours = 0, ...others] = names.map((side) => median(figures.get(side) ?? []))
  console.log(`A row answered by code: ${ours.toFixed(1)} µs of processor time`)
  for (const [at, micros] of others.entries())
    console.log(`${names[at + 1]}: ${micros.toFixed(1)} µs, ${(micros / ours).toFixed(2)} of it`)
  console.log(`The aim is ${aim}, for the route by hand.`)
  for (const { child } of served.values()) child.disconnect()
  agent.destroy()
  rmSync(folder, { recursive: true })
}

const [first, side, folder = ''] = process.argv.slice(2)
if (first === 'serve' && side) await serve(side as Side, folder)
else await compare(Number(first ?? 2) * 1_000)
