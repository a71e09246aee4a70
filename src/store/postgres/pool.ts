import { StoreError } from '../store.ts'
import type { Client } from './client.ts'
import { postgresError } from './errors.ts'
import type { PostgresSettings } from './postgres-settings.ts'

/** After a failed connection every request is refused for this long without trying to connect again. */
const refuseMs = 250
const sweepMs = 1_000

interface Waiter {
  readonly wake: (client: Client) => void
  readonly refuse: (error: unknown) => void
}

/**
 * A single statement goes to the client with the fewest statements in flight; a transaction has a client to itself. A statement
 * that writes may wait for a row lock, so no reading statement is put behind it. A caller of `free` must send its statement
 * before the next `await`: after that the client may belong to a transaction.
 */
export class Pool {
  readonly #clients: readonly Client[]
  readonly #settings: PostgresSettings
  /** Waiting for a client, first come first served. */
  readonly #transactions: Waiter[] = []
  readonly #singles: Waiter[] = []
  /** With three clients or more, this one takes only reads, so that reads go on while transactions wait for each other. */
  readonly #forReads: Client | undefined
  /** At least one client is left to single writes, where there are enough. */
  readonly #reservable: number
  readonly #sweeper: NodeJS.Timeout
  #failure: { readonly error: unknown; readonly at: number } | null = null
  #closed = false

  constructor(clients: readonly Client[], settings: PostgresSettings) {
    this.#clients = clients
    this.#settings = settings
    this.#forReads = clients.length > 2 ? clients[0] : undefined
    this.#reservable = Math.max(1, clients.length - (this.#forReads ? 2 : 1))
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs)
    this.#sweeper.unref()
  }

  /** Transactions and single statements that wait for a client. */
  get waiting(): number {
    return this.#transactions.length + this.#singles.length
  }

  /** A connected client for one statement; null when there is none now. */
  free(writes: boolean): Client | null {
    const best = this.#leastBusy(writes)
    // More connections are opened in the background, while statements already go to those that are open.
    const more = best && best.inFlight > 0 ? this.#unconnected(writes) : undefined
    if (more) this.#connect(more).catch(() => {})
    return best
  }

  /** Resolves when `free` may return a client; throws StoreError when the server cannot be reached or the wait is too long. */
  async change(writes: boolean): Promise<void> {
    const client = this.#unconnected(writes)
    if (client) await this.#connect(client)
    else await this.#wait(this.#singles)
  }

  /** A client for a transaction, until it is released. */
  async reserve(): Promise<Client> {
    while (this.#transactions.length === 0 && this.#mayReserve()) {
      const client = this.free(true)
      if (client) {
        client.reserved = true
        return client
      }
      await this.change(true)
    }
    return this.#wait(this.#transactions)
  }

  release(client: Client): void {
    if (this.#singles.length === 0) {
      this.#handOver(client)
      return
    }
    client.reserved = false
    for (const single of this.#singles.splice(0)) single.wake(client)
    // The single statements just woken are sent first.
    setImmediate(() => {
      if (!client.reserved && this.#mayReserve()) this.#handOver(client)
    })
  }

  async end(): Promise<void> {
    this.#closed = true
    clearInterval(this.#sweeper)
    for (const waiter of [...this.#transactions.splice(0), ...this.#singles.splice(0)])
      waiter.refuse(unavailable('the store is closed'))
    await Promise.all(this.#clients.map((client) => client.end()))
  }

  #mayReserve(): boolean {
    return this.#clients.filter((client) => client.reserved).length < this.#reservable
  }

  #unconnected(writes: boolean): Client | undefined {
    return this.#clients.find(
      (client) => !client.reserved && !client.connected && !(writes && client === this.#forReads),
    )
  }

  #leastBusy(writes: boolean): Client | null {
    let best: Client | null = null
    for (const client of this.#clients) {
      if (client.reserved || !client.connected) continue
      if (this.#forReads && (writes ? client === this.#forReads : client.writing > 0)) continue
      if (!best || client.inFlight < best.inFlight) best = client
    }
    return best
  }

  async #connect(client: Client): Promise<void> {
    if (this.#closed) throw unavailable('the store is closed')
    if (this.#failure && performance.now() - this.#failure.at < refuseMs)
      throw postgresError(this.#failure.error)
    try {
      await client.connect()
      this.#failure = null
    } catch (error) {
      this.#failure = { error, at: performance.now() }
      throw postgresError(error)
    }
  }

  #wait(queue: Waiter[]): Promise<Client> {
    const { connectMs } = this.#settings
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(unavailable('the store is closed'))
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1)
        reject(unavailable(`no free connection of ${this.#clients.length} in ${connectMs} ms`))
      }, connectMs)
      const waiter: Waiter = {
        wake(client) {
          clearTimeout(timer)
          resolve(client)
        },
        refuse(error) {
          clearTimeout(timer)
          reject(error)
        },
      }
      queue.push(waiter)
    })
  }

  /** The client stays reserved on its way to the next transaction, so that no other statement comes between. */
  #handOver(client: Client): void {
    const next = this.#transactions.shift()
    client.reserved = next !== undefined
    next?.wake(client)
  }

  /** Closes connections that have been idle for long, and those whose server no longer answers. */
  #sweep(): void {
    const { statementMs, idleMs } = this.#settings
    // The server ends a statement earlier than this, if it is still there.
    const silentMs = statementMs > 0 ? 1.5 * statementMs + 1_000 : Number.POSITIVE_INFINITY
    const now = performance.now()
    this.#clients.forEach((client, at) => {
      const since = now - client.since
      if (client.inFlight > 0 && since > silentMs) client.cut()
      const idle = at > 0 && client.connected && !client.reserved && client.inFlight === 0
      if (idle && idleMs > 0 && since > idleMs) client.retire()
    })
  }
}

const unavailable = (what: string): StoreError => new StoreError('unavailable', `PostgreSQL: ${what}`)
