import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { dataOf, newKey, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'

const older = `
import { api, belongsTo, hasMany, resource, states, version } from 'nounkit'
import { z } from 'zod'
const clients = resource('clients', {
  fields: { full_name: z.string(), grade: z.enum(['low', 'high']).default('low') },
  relations: { orders: hasMany('orders') },
  filter: ['grade'], sort: ['full_name'], include: ['orders'],
})
const orders = resource('orders', {
  fields: { status: states('open', { open: ['paid'] }) },
  relations: { client: belongsTo('clients') },
  filter: ['status'],
})
export default api('desk', {
  events: { keepDays: 1 }, resources: [clients, orders], versions: [version('v1', { published: '2025-01-01' })],
})
`

const newer = `
import { api, belongsTo, hasMany, mapValues, renameField, renameRelation, renameResource, resource, states, version } from 'nounkit'
import { z } from 'zod'
const customers = resource('customers', {
  fields: { name: z.string(), grade: z.enum(['basic', 'high']).default('basic'), note: z.string().optional() },
  relations: { purchases: hasMany('orders') },
  filter: ['grade'], sort: ['name'], include: ['purchases'],
})
const orders = resource('orders', {
  fields: { status: states('placed', { placed: ['paid'], paid: ['refunded'] }) },
  relations: { buyer: belongsTo('customers') },
  filter: ['status'],
})
const changes = [
  renameResource('clients', 'customers'),
  renameField('customers', 'full_name', 'name'),
  renameRelation('customers', 'orders', 'purchases'),
  renameRelation('orders', 'client', 'buyer'),
  mapValues('customers', 'grade', { low: 'basic' }),
  mapValues('orders', 'status', { open: 'placed' }, { onlyInNewer: { refunded: 'paid' }, why: 'new' }),
]
export default api('desk', {
  events: { keepDays: 1 }, resources: [customers, orders],
  versions: [version('v2'), version('v1', { published: '2025-01-01', changes })],
})
`

/** The folders of both declarations; the newer one has the contract that the older one was published with. */
async function releases(): Promise<{ readonly before: string; readonly after: string }> {
  const [before, after] = [declarationFolder(older), declarationFolder(newer)]
  expect(await runHere(['publish', before, 'v1', '--skip-store'])).toMatchObject({ code: 0 })
  cpSync(join(before, 'contracts'), join(after, 'contracts'), { recursive: true })
  return { before, after }
}

/** Calls that go to whichever process is there, until they are stopped. */
class Traffic {
  readonly refused: string[] = []
  readonly #keys = new Set<string>()
  readonly #servers: ServerProcess[]
  readonly #key: string
  readonly #open = new Map<ServerProcess, Set<Promise<unknown>>>()
  #over = false
  #turn = 0
  readonly #running: Promise<unknown>

  constructor(servers: ServerProcess[], key: string) {
    this.#servers = servers
    this.#key = key
    this.#running = Promise.all([this.#write(), this.#read(), this.#walk()])
  }

  async stop(): Promise<readonly string[]> {
    this.#over = true
    await this.#running
    return [...this.#keys]
  }

  async call(method: string, path: string, more: object = {}): Promise<Reply> {
    const server = this.#servers[this.#turn++ % this.#servers.length] as ServerProcess
    const open = this.#open.get(server) ?? new Set()
    this.#open.set(server, open)
    const calling = server.call(method, path, { key: this.#key, ...more })
    open.add(calling)
    const reply = await calling.finally(() => open.delete(calling))
    if (reply.status >= 400) this.refused.push(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply
  }

  /** Resolves when a process that gets no more calls has answered those that it had, as a load balancer waits for that. */
  async drained(server: ServerProcess): Promise<void> {
    await Promise.all(this.#open.get(server) ?? [])
  }

  async #write(): Promise<void> {
    for (let at = 0; !this.#over; at++) {
      const idempotencyKey = `made-${at}`
      const body = { full_name: `n${at % 7}`, grade: at % 2 ? 'low' : 'high' }
      // The second call goes to another process.
      const first = await this.call('POST', '/v1/clients', { body, idempotencyKey })
      const again = await this.call('POST', '/v1/clients', { body, idempotencyKey })
      if (again.text !== first.text) this.refused.push(`${idempotencyKey} was answered twice`)
      if (first.status !== 201) continue
      const { id } = dataOf(first)
      this.#keys.add(id)
      const order = await this.call('POST', '/v1/orders', { body: { client_id: id } })
      await this.call('PATCH', `/v1/orders/${dataOf(order).id}`, { body: { status: 'paid' } })
    }
  }

  async #read(): Promise<void> {
    while (!this.#over) {
      await this.call('GET', '/v1/clients?include=orders&sort=full_name&limit=5')
      await this.call('GET', '/v1/orders?filter[status]=paid&limit=5')
    }
  }

  /** A page walk that each page takes from another process. */
  async #walk(): Promise<void> {
    while (!this.#over) {
      let cursor = ''
      do {
        const reply = await this.call('GET', `/v1/clients?limit=20${cursor}`)
        const next = reply.status === 200 ? JSON.parse(reply.text).page.next_cursor : null
        cursor = next ? `&cursor=${next}` : ''
      } while (cursor !== '' && !this.#over)
    }
  }
}

describe.each(storeKinds)('%s', (kind) => {
  test('processes are replaced by those of a declaration that renames, and back: no call fails, and v1 has the same bytes everywhere', async () => {
    const { before, after } = await releases()
    const databaseUrl = await emptyDatabase(kind)
    const start = (folder: string) => startServer(databaseUrl, { api: folder })
    const servers = [await start(before), await start(before)]
    const key = await newKey(databaseUrl)
    const traffic = new Traffic(servers, key)
    const replace = async (at: number, folder: string) => {
      const old = servers[at] as ServerProcess
      servers[at] = await start(folder)
      await traffic.drained(old)
      await old.child.kill('SIGTERM')
    }
    const expectSame = async () => {
      const answers = await Promise.all(
        servers.map(async (server) => {
          const one = await server.call('GET', '/v1/clients?limit=1', { key })
          return JSON.stringify(JSON.parse(one.text).data)
        }),
      )
      expect(new Set(answers).size).toBe(1)
    }
    const client = dataOf(await traffic.call('POST', '/v1/clients', { body: { full_name: 'Ada' } }))
    const order = dataOf(await traffic.call('POST', '/v1/orders', { body: { client_id: client.id } }))
    for (const folder of [after, before]) {
      await replace(0, folder)
      await expectSame()
      if (folder === after) {
        // From its first moment on, what only the newer declaration has is shown by the older process as v1 says.
        const [newest] = servers
        for (const status of ['paid', 'refunded'])
          await newest?.call('PATCH', `/v2/orders/${order.id}`, { key, body: { status } })
        const shown = servers.map((server) => server.call('GET', `/v1/orders/${order.id}`, { key }))
        const texts = (await Promise.all(shown)).map(({ text }) => text)
        expect(new Set(texts).size).toBe(1)
        expect(JSON.parse(texts[0] ?? '').data.status).toBe('paid')
      }
      await replace(1, folder)
      await expectSame()
    }
    const made = [...(await traffic.stop()), client.id]
    expect(traffic.refused).toEqual([])
    expect(made.length).toBeGreaterThan(0)
    const seen: string[] = []
    const reader = servers[0] as ServerProcess
    for (let cursor = ''; ; ) {
      const page = JSON.parse((await reader.call('GET', `/v1/clients?limit=100${cursor}`, { key })).text)
      seen.push(...page.data.map(({ id }: { id: string }) => id))
      if (!page.page.next_cursor) break
      cursor = `&cursor=${page.page.next_cursor}`
    }
    expect(seen.toSorted()).toEqual([...made].sort())
    const types = new Set<string>()
    const told: string[] = []
    for (let cursor = ''; ; ) {
      const page = JSON.parse((await reader.call('GET', `/v1/events?limit=100${cursor}`, { key })).text)
      for (const { type, resource_id } of page.data) {
        types.add(type)
        if (type === 'clients.created') told.push(resource_id)
      }
      if (!page.page.has_more) break
      cursor = `&cursor=${page.page.next_cursor}`
    }
    expect([...types].sort()).toEqual(['clients.created', 'orders.created', 'orders.updated'])
    expect(told.toSorted()).toEqual([...made].sort())
  }, 60_000)
})
