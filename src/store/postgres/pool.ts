import { StoreError } from '../store.ts'
import type { Client } from './client.ts'
import { postgresError } from './errors.ts'
import type { PostgresSettings } from './postgres-settings.ts'

/**
 * Single statements are put on the client with the least on its way; a transaction has one to itself. One that writes may wait
 * for a row that another transaction holds, so none that reads is put behind it. Whoever gets a client from `free` must use it
 * before anything else can run: after an `await` it may be part of somebody's transaction.
 */
export interface Pool {
  free(writes: boolean): Client | null
  /** Resolves when it is worth asking again, throws StoreError when it is not. */
  change(writes: boolean): Promise<void>
  reserve(): Promise<Client>
  release(client: Client): void
  readonly waiting: number
  end(): Promise<void>
}

/** After a failed connection everybody is refused for this long without asking the server again. */
const pauseMs = 250

interface Waiter {
  readonly wake: (client: Client) => void
  readonly refuse: (error: unknown) => void
}

export function createPool(clients: readonly Client[], settings: PostgresSettings): Pool {
  /** In the order they came. */
  const transactions: Waiter[] = []
  const singles: Waiter[] = []
  let failure: { readonly error: unknown; readonly at: number } | null = null
  let closed = false
  // Where there are three, one is left to reads and one to single writes: both go on while transactions wait for each other.
  const forReads = clients.length > 2 ? clients[0] : undefined
  const reservable = Math.max(1, clients.length - (forReads ? 2 : 1))
  const mayReserve = (): boolean => clients.filter((client) => client.reserved).length < reservable
  const unconnected = (writes: boolean): Client | undefined =>
    clients.find((client) => !client.reserved && !client.connected && !(writes && client === forReads))

  const leastBusy = (writes: boolean): Client | null => {
    let best: Client | null = null
    for (const client of clients) {
      if (client.reserved || !client.connected) continue
      if (forReads && (writes ? client === forReads : client.writing > 0)) continue
      if (!best || client.inFlight < best.inFlight) best = client
    }
    return best
  }

  const connect = async (client: Client): Promise<void> => {
    if (closed) throw unavailable('the store is closed')
    if (failure && performance.now() - failure.at < pauseMs) throw postgresError(failure.error)
    try {
      await client.connect()
      failure = null
    } catch (error) {
      failure = { error, at: performance.now() }
      throw postgresError(error)
    }
  }

  const wait = (line: Waiter[]): Promise<Client> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(unavailable('the store is closed'))
      const timer = setTimeout(() => {
        line.splice(line.indexOf(waiter), 1)
        reject(unavailable(`no free connection of ${clients.length} in ${settings.connectMs} ms`))
      }, settings.connectMs)
      const ending =
        <A>(settle: (value: A) => void) =>
        (value: A): void => {
          clearTimeout(timer)
          settle(value)
        }
      const waiter: Waiter = { wake: ending(resolve), refuse: ending(reject) }
      line.push(waiter)
    })

  const free = (writes: boolean): Client | null => {
    const best = leastBusy(writes)
    // More connections are made while those there are answer: nobody waits for one that another could have served.
    const more = best && best.inFlight > 0 ? unconnected(writes) : undefined
    if (more) connect(more).catch(() => {})
    return best
  }

  const change = async (writes: boolean): Promise<void> => {
    const client = unconnected(writes)
    if (client) await connect(client)
    else await wait(singles)
  }

  const reserve = async (): Promise<Client> => {
    while (transactions.length === 0 && mayReserve()) {
      const client = free(true)
      if (client) {
        client.reserved = true
        return client
      }
      await change(true)
    }
    return wait(transactions)
  }

  const release = (client: Client): void => {
    if (singles.length === 0) {
      handOver(client)
      return
    }
    client.reserved = false
    for (const single of singles.splice(0)) single.wake(client)
    // Those just woken put their statements on it first.
    setImmediate(() => {
      if (!client.reserved && mayReserve()) handOver(client)
    })
  }

  /** It stays reserved on its way to the next transaction, so that nobody can come between. */
  const handOver = (client: Client): void => {
    const next = transactions.shift()
    client.reserved = next !== undefined
    next?.wake(client)
  }

  const stopSweeping = sweep(clients, settings)
  return {
    free,
    change,
    reserve,
    release,
    get waiting() {
      return transactions.length + singles.length
    },
    async end() {
      closed = true
      stopSweeping()
      for (const waiter of [...transactions.splice(0), ...singles.splice(0)])
        waiter.refuse(unavailable('the store is closed'))
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}

const unavailable = (what: string): StoreError => new StoreError('unavailable', `PostgreSQL: ${what}`)

/** Ends connections that nobody needs, and cuts those whose server has gone without a word. */
function sweep(clients: readonly Client[], settings: PostgresSettings): () => void {
  // The server itself ends a statement sooner, if it still can.
  const silentMs = settings.statementMs > 0 ? 1.5 * settings.statementMs + 1_000 : Number.POSITIVE_INFINITY
  const timer = setInterval(() => {
    const now = performance.now()
    clients.forEach((client, at) => {
      const since = now - client.since
      if (client.inFlight > 0 && since > silentMs) client.cut()
      const idle = at > 0 && client.connected && !client.reserved && client.inFlight === 0
      if (idle && settings.idleMs > 0 && since > settings.idleMs) client.retire()
    })
  }, 1_000)
  timer.unref()
  return () => clearInterval(timer)
}
