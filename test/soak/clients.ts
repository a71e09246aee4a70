import { setTimeout as sleep } from 'node:timers/promises'
import { StreamReader } from '../support/event-source.ts'
import { type CallOptions, dataOf, type Reply, type ServerProcess } from '../support/server-process.ts'

/** The processes behind a load balancer, which change with each restart. */
export interface Balanced {
  servers: readonly ServerProcess[]
  readonly key: string
}

interface Note {
  readonly id: string
  readonly idempotencyKey: string
  readonly body: object
  readonly text: string
}

const writers = 3
const readers = 2
/** Rows that each writer keeps; it deletes the oldest beyond them. */
const keptMost = 200
const pauseMs = 25
/** A writer begins no more than one create in this time, so that the size of the store does not depend on how fast the machine is. */
const createEveryMs = 200
/** A retry cures what it cures within this time, restarts included. */
const patienceMs = 30_000

/** Clients that retry as the documentation says, and note what no retry has cured. */
export class Clients {
  readonly failures: string[] = []
  created = 0
  #calls = 0
  #retries = 0
  #streamed = 0
  #reconnects = 0
  #over = false
  readonly #balanced: Balanced
  readonly #awaited = new Set<string>()
  readonly #recent: Note[] = []
  readonly #all: Promise<unknown>
  /** A stream without a position shows only what happens after it was opened, so writers wait for that. */
  readonly #following = Promise.withResolvers<void>()
  #ended = false

  constructor(balanced: Balanced) {
    this.#balanced = balanced
    const lanes = [
      ...Array.from({ length: writers }, (_, number) => this.#write(number)),
      ...Array.from({ length: readers }, () => this.#read()),
      this.#replay(),
      this.#follow(),
    ]
    this.#all = Promise.all(lanes.map((lane) => lane.catch((error) => this.failures.push(String(error)))))
  }

  summary(): string {
    return `${this.#calls} calls, ${this.#retries} retries, ${this.created} created, ${this.#streamed} streamed, ${this.#reconnects} streams opened, ${this.failures.length} failures`
  }

  /** Ends all of them; each created row must have been streamed by then, or soon. */
  async stop(): Promise<void> {
    const end = performance.now() + patienceMs
    this.#over = true
    while (this.#awaited.size > 0 && performance.now() < end) await sleep(100)
    if (this.#awaited.size > 0) this.failures.push(`${this.#awaited.size} rows were never streamed`)
    this.#ended = true
    await this.#all
  }

  #server(): ServerProcess {
    const { servers } = this.#balanced
    return servers[Math.floor(Math.random() * servers.length)] as ServerProcess
  }

  /** The answer, after retries while the service or the connection says so. `unsure`: an attempt may have been carried out. */
  async #call(method: string, path: string, options: CallOptions = {}): Promise<Reply & { unsure: boolean }> {
    const giveUpAt = performance.now() + patienceMs
    this.#calls++
    for (let unsure = false; ; unsure = true) {
      const { key } = this.#balanced
      const reply = await this.#server()
        .call(method, path, { key, ...options })
        .catch(() => null)
      const retried = !reply || reply.status === 503 || reply.status === 409
      if (reply && !retried) return { ...reply, unsure }
      if (performance.now() > giveUpAt)
        throw new Error(
          `${method} ${path}: ${reply?.status ?? 'no answer'} for ${patienceMs} ms: ${reply?.text}`,
        )
      this.#retries++
      await sleep(50)
    }
  }

  #expect(reply: Reply, what: string, ...statuses: readonly number[]): void {
    if (!statuses.includes(reply.status)) this.failures.push(`${what}: ${reply.status} ${reply.text}`)
  }

  async #write(number: number): Promise<void> {
    await this.#following.promise
    const body = { title: `writer ${number}` }
    const options = { body, idempotencyKey: `thread-${number}` }
    const thread = dataOf(await this.#call('POST', '/v1/threads', options)).id
    const kept: Note[] = []
    for (let at = 0; !this.#over; at++) {
      const beganAt = performance.now()
      kept.push(await this.#create(thread, `${number}-${at}`))
      const note = kept[Math.floor(Math.random() * kept.length)]
      const patched = await this.#call('PATCH', `/v1/notes/${note?.id}`, { body: { edits: at } })
      this.#expect(patched, 'PATCH', 200)
      if (kept.length > keptMost) {
        const removed = await this.#call('DELETE', `/v1/notes/${kept.shift()?.id}`)
        this.#expect(removed, 'DELETE', 204, ...(removed.unsure ? [404] : []))
      }
      await sleep(Math.max(0, beganAt + createEveryMs - performance.now()))
    }
  }

  async #create(thread: string, name: string): Promise<Note> {
    const body = { text: name.padEnd(300, '.'), thread_id: thread }
    this.#awaited.add(body.text)
    const reply = await this.#call('POST', '/v1/notes', { body, idempotencyKey: name })
    this.#expect(reply, 'POST', 201)
    this.created++
    const note = { id: dataOf(reply).id, idempotencyKey: name, body, text: reply.text }
    this.#recent.push(note)
    if (this.#recent.length > 100) this.#recent.shift()
    return note
  }

  async #replay(): Promise<void> {
    while (!this.#over) {
      const note = this.#recent[Math.floor(Math.random() * this.#recent.length)]
      if (note) {
        const { body, idempotencyKey, text } = note
        const reply = await this.#call('POST', '/v1/notes', { body, idempotencyKey })
        this.#expect(reply, 'replay', 201)
        if (reply.text !== text)
          this.failures.push(`${idempotencyKey} was replayed as ${reply.text}, not ${text}`)
      }
      await sleep(pauseMs)
    }
  }

  async #read(): Promise<void> {
    const paths = [
      '/v1/notes?sort=-text&limit=20&include=thread',
      '/v1/threads?include=notes',
      '/v1/events?limit=20',
    ]
    for (let at = 0; !this.#over; at++) {
      this.#expect(await this.#call('GET', paths[at % paths.length] ?? ''), 'GET', 200)
      await sleep(pauseMs)
    }
  }

  /** Follows all events, and goes on at another process when one ends its streams. */
  async #follow(): Promise<void> {
    let lastEventId = ''
    while (!this.#ended) {
      const headers = {
        authorization: `Bearer ${this.#balanced.key}`,
        accept: 'text/event-stream',
        ...(lastEventId && { 'last-event-id': lastEventId }),
      }
      const response = await fetch(`${this.#server().url}/v1/events`, { headers }).catch(() => null)
      if (response?.status === 200)
        lastEventId = await this.#readStream(new StreamReader(response), lastEventId)
      else if (response && response.status !== 503)
        this.failures.push(`stream: ${response.status} ${await response.text()}`)
      this.#reconnects++
      await sleep(50)
    }
  }

  /** Reads until the stream ends: where to resume. */
  async #readStream(stream: StreamReader, resumeAt: string): Promise<string> {
    const timer = setInterval(() => this.#ended && void stream.cancel().catch(() => {}), 100)
    try {
      await stream.opened()
      this.#following.resolve()
      while (!this.#ended) {
        const [event] = await stream.take(1)
        if (event?.type !== 'notes.created') continue
        this.#awaited.delete(JSON.parse(event.data).data.text)
        this.#streamed++
      }
    } catch {
      // The process has ended, or the connection broke.
    } finally {
      clearInterval(timer)
    }
    return stream.lastEventId || resumeAt
  }
}
