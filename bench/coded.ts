import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { z } from 'zod'
import { api } from '../src/declare/api.ts'
import { readOnly } from '../src/declare/field.ts'
import { resource } from '../src/declare/resource.ts'
import { KeyRing } from '../src/guard/key-ring.ts'
import { openService } from '../src/server-door.ts'
import { openStore } from '../src/store/open.ts'

/**
 * What one row costs that code answers, beside a route of Fastify that is written by hand, with a schema for its answer and a look at the
 * key: `node bench/coded.ts [seconds]`. Each server is a process of its own; turns alternate. The route by hand does less: it has no ETag, no
 * request id, no headers that browsers are told by, no log of usage, no metrics, no bound of its time, and its serializer does not look at what
 * a field has.
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

const sides = {
  async Nounkit(folder: string) {
    const database = `sqlite:${join(folder, 'quotes.db')}`
    const service = await openService(declaration, { database, rate: 'off' })
    const store = await openStore(database)
    const { secret } = await new KeyRing(store).create({ account: 'acme', name: 'bench', scopes: ['*'] })
    await store.close()
    const { url } = await service.listen({ port: 0 })
    return { port: Number(new URL(url).port), key: secret }
  },
  async Fastify() {
    const key = 'Bearer of-the-benchmark'
    const shape = { id: { type: 'string' }, carrier: { type: 'string' }, price: { type: 'integer' } }
    const answer = { type: 'object', properties: { data: { type: 'object', properties: shape } } }
    const app = fastify()
    app.addHook('onRequest', async ({ headers }, reply) => {
      if (headers.authorization !== key) return reply.code(401).send()
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
    return { port: Number(new URL(listening).port), key: key.slice('Bearer '.length) }
  },
}
type Side = keyof typeof sides

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
  const start = async (side: Side): Promise<Served> => {
    const child = fork(import.meta.filename, ['serve', side, folder])
    return { child, ...(await told<{ port: number; key: string }>(child)) }
  }
  const [ours, byHand] = [await start('Nounkit'), await start('Fastify')]
  const figures = { ours: [] as number[], byHand: [] as number[] }
  for (let at = -1; at < turns; at++) {
    const [one, other] = [await turn(ours, ms), await turn(byHand, ms)]
    // The first turn warms up.
    if (at >= 0) figures.ours.push(one)
    if (at >= 0) figures.byHand.push(other)
  }
  const [one, other] = [median(figures.ours), median(figures.byHand)]
  console.log(
    `A row answered by code: ${one.toFixed(1)} µs of processor time, Fastify by hand ${other.toFixed(1)} µs: ${(other / one).toFixed(2)} (aim: ${aim})`,
  )
  for (const { child } of [ours, byHand]) child.disconnect()
  agent.destroy()
  rmSync(folder, { recursive: true })
}

const [first, side, folder = ''] = process.argv.slice(2)
if (first === 'serve' && side) await serve(side as Side, folder)
else await compare(Number(first ?? 2) * 1_000)
