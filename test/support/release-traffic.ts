import { setTimeout as sleep } from 'node:timers/promises'
import { client } from '../../src/client/nounkit-client.ts'
import { dataOf, type Reply, type ServerProcess } from './server-process.ts'

interface FollowedEvent {
  readonly id: string
}
interface Followed {
  readonly events: {
    follow(options: { readonly from: string; readonly signal: AbortSignal }): AsyncIterable<FollowedEvent>
  }
}

/** Between calls of each kind: the machine also starts processes meanwhile, which takes most of the time of a release. */
const pauseMs = 250

/** What consumers of v1 of the rolling world do, in turns at whichever processes are there, until it is stopped. */
export class ReleaseTraffic {
  /** What went wrong: every refused call, key that was carried out twice, and answer that two processes give otherwise. */
  readonly faults: string[] = []
  /** The ids of all clients that were made. */
  readonly made = new Set<string>()
  /** How many calls were answered. */
  answered = 0
  readonly #servers: readonly ServerProcess[]
  readonly #key: string
  readonly #open = new Map<ServerProcess, Set<Promise<unknown>>>()
  readonly #following = new AbortController()
  readonly #followed: string[] = []
  #over = false
  #turn = 0
  readonly #running: Promise<unknown>

  /** The list of processes is the test's: it puts another one in the place of each. */
  constructor(servers: readonly ServerProcess[], key: string) {
    this.#servers = servers
    this.#key = key
    this.#running = this.#run()
  }

  /** The place where the stream begins is asked for first: the first event must come after it. */
  async #run(): Promise<void> {
    const start = await this.call('GET', '/v1/events?limit=1')
    void this.#follow(JSON.parse(start.text).page.next_cursor)
    await Promise.all([this.#write(), this.#read(), this.#walk(), this.#compare()])
  }

  /** Ends all but the stream. */
  async stop(): Promise<void> {
    this.#over = true
    await this.#running
  }

  /** The events of the stream, once it has told as many as the log has. */
  async followed(count: number): Promise<readonly string[]> {
    for (let waited = 0; this.#followed.length < count && waited < 30_000; waited += 50) await sleep(50)
    this.#following.abort()
    return this.#followed
  }

  /** Resolves when a process that gets no more calls has answered those that it had, as a load balancer waits for that. */
  async drained(server: ServerProcess): Promise<void> {
    await Promise.all(this.#open.get(server) ?? [])
  }

  async call(method: string, path: string, more: object = {}): Promise<Reply> {
    const reply = await this.#send(this.#next(), method, path, more)
    if (reply.status >= 400) this.faults.push(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply
  }

  #next(): ServerProcess {
    return this.#servers[this.#turn++ % this.#servers.length] as ServerProcess
  }

  async #send(server: ServerProcess, method: string, path: string, more: object): Promise<Reply> {
    const open = this.#open.get(server) ?? new Set()
    this.#open.set(server, open)
    const calling = server.call(method, path, { key: this.#key, ...more })
    open.add(calling)
    const reply = await calling.finally(() => open.delete(calling))
    this.answered++
    return reply
  }

  /** Each create is sent twice under one key: the second time to another process. */
  async #write(): Promise<void> {
    for (let at = 0; !this.#over; at++) {
      await sleep(pauseMs)
      const idempotencyKey = `made-${at}`
      const body = {
        full_name: `n${at % 7}`,
        grade: at % 2 ? 'low' : 'high',
        code: 'c',
        phone: at % 3 ? '1' : null,
      }
      const first = await this.call('POST', '/v1/clients', { body, idempotencyKey })
      const again = await this.call('POST', '/v1/clients', { body, idempotencyKey })
      if (again.text !== first.text) this.faults.push(`${idempotencyKey} was answered in two ways`)
      if (first.status !== 201) continue
      const { id } = dataOf(first)
      this.made.add(id)
      const order = await this.call('POST', '/v1/orders', { body: { client_id: id } })
      await this.call('PATCH', `/v1/orders/${dataOf(order).id}`, { body: { status: 'paid' } })
    }
  }

  async #read(): Promise<void> {
    while (!this.#over) {
      await sleep(pauseMs)
      await this.call('GET', '/v1/clients?include=orders&sort=full_name&limit=5&count=true')
      await this.call('GET', '/v1/orders?filter[status]=paid&include=client&limit=5')
      await this.call('GET', '/v1/clients?search=n1&sort=note&filter[note]=a&limit=5')
    }
  }

  /** A page walk that takes each page from another process. */
  async #walk(): Promise<void> {
    while (!this.#over) {
      let cursor = ''
      do {
        const reply = await this.call('GET', `/v1/clients?limit=20${cursor}`)
        const next = reply.status === 200 ? JSON.parse(reply.text).page.next_cursor : null
        cursor = next ? `&cursor=${next}` : ''
        await sleep(pauseMs)
      } while (cursor !== '' && !this.#over)
    }
  }

  /** The first rows are never changed: every process shows the same bytes of them. */
  async #compare(): Promise<void> {
    while (!this.#over) {
      const asked = this.#servers.map((server) =>
        this.#send(server, 'GET', '/v1/clients?limit=3&sort=id&include=orders', {}),
      )
      const texts = (await Promise.all(asked)).map(({ text }) => JSON.stringify(JSON.parse(text).data))
      if (this.made.size >= 4 && new Set(texts).size > 1)
        this.faults.push(`not the same: ${texts.join('\n')}`)
      await sleep(pauseMs)
    }
  }

  async #follow(from: string): Promise<void> {
    const api = client<never>({
      url: 'http://127.0.0.1',
      key: this.#key,
      version: 'v1' as never,
      fetch: (url: string | URL | Request, init?: RequestInit) => {
        const { pathname, search } = new URL(url instanceof Request ? url.url : url)
        return fetch(`${this.#next().url}${pathname}${search}`, init)
      },
    } as never) as unknown as Followed
    const { signal } = this.#following
    try {
      for await (const { id } of api.events.follow({ from, signal })) this.#followed.push(id)
    } catch (error) {
      if (!signal.aborted) this.faults.push(`the stream ended: ${error}`)
    }
  }
}
