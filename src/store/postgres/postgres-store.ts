import { setTimeout as sleep } from 'node:timers/promises'
import type { Dialect } from '../../plan/dialect.ts'
import type { Session, Store, StoreCounters, Value } from '../store.ts'
import type { CitusNodes } from './citus-nodes.ts'
import { attemptClaimed } from './claimed-write.ts'
import { firstRowOf, type PostgresClient, rowsOf, rowsWritten } from './client.ts'
import { connect, run, type Server } from './connection.ts'
import type { Answer } from './driver-statement.ts'
import { isBroken, isRetryable, isSilent, postgresError, refusedByServer } from './errors.ts'
import type { NodeCounts } from './node-counts.ts'
import type { Pool } from './pool.ts'
import { readReachable } from './reachable-rows.ts'
import { SilentHost } from './silent-host.ts'
import { attemptTransaction, type TransactionEnd } from './transaction.ts'

const attemptsMost = 6
const sessionEndMs = 5_000

export interface PostgresParts {
  readonly server: Server
  readonly clients: readonly PostgresClient[]
  readonly pool: Pool
  readonly nodeCounts: NodeCounts
  /** Null where the database is not spread over several machines. */
  readonly nodes: CitusNodes | null
  readonly counters: StoreCounters
  readonly dialect: Dialect
}

export function postgresStore(parts: PostgresParts): Store {
  const { server, clients, pool, counters, dialect, nodeCounts, nodes } = parts
  const read = <T>(sql: string, values: readonly Value[], take: Take<T>, account?: string) =>
    readFrom(pool, { sql, values, take, lane: pool.lanes.of(account) })
  const committed = async <T>(attempt: Attempt<T>, account?: string): Promise<T> => {
    const value = await transact(pool, attempt, pool.lanes.of(account))
    counters.commits++
    counters.committed++
    return value
  }
  const silentHost = new SilentHost(server, clients)
  return {
    dialect,
    counters: liveCounters(counters, clients, pool, nodeCounts),
    all: (sql, values, account) => read(sql, values, rowsOf, account),
    first: (sql, values, account) => read(sql, values, firstRowOf, account),
    async writeOne(sql, values, account) {
      const what = { sql, values, take: rowsWritten, lane: pool.lanes.of(account) }
      const written = await single(pool, what, writing)
      counters.commits++
      counters.committed++
      return written
    },
    writeClaimed:
      dialect.insertsAlong === 'in one query'
        ? null
        : (writes, account) =>
            committed((client) => attemptClaimed(client, server.settings, writes), account),
    refreshStatistics: null,
    transaction: (work, account) =>
      committed((client) => attemptTransaction(client, dialect, server.settings, work), account),
    async ready() {
      await read('SELECT 1', [], rowsOf, '')
      return nodes ? nodes.states((sql, account) => read(sql, [account], firstRowOf, account)) : []
    },
    session: (work) => withSession(server, work),
    allReachable: nodes ? (read) => readReachable((work) => withSession(server, work), read) : null,
    async close() {
      silentHost.stop()
      await pool.end()
    },
  }
}

interface Purpose {
  readonly kind: 'read' | 'write'
  /** `tookMs` is the time since the statement was sent first. */
  mayRepeat(error: unknown, attempt: number, tookMs: number): boolean
}

/** A read whose connection was lost is sent once more within this time. Later, a request with two such attempts would take too long. */
const lostWithinMs = 1_000

const reading: Purpose = {
  kind: 'read',
  mayRepeat: (error, attempt, tookMs) =>
    isRetryable(error) || (attempt === 1 && tookMs < lostWithinMs && isBroken(error) && !isSilent(error)),
}
const writing: Purpose = { kind: 'write', mayRepeat: isRetryable }

type Take<T> = (answer: Answer) => T

/** Runs one reading statement, with retries where those may help. */
export const readFrom = <T>(pool: Pool, what: Single<T>): Promise<T> => single(pool, what, reading)

interface Single<T> {
  readonly sql: string
  readonly values: readonly Value[]
  readonly take: Take<T>
  readonly lane: string | null
}

function single<T>(
  pool: Pool,
  what: Single<T>,
  purpose: Purpose,
  attempt = 1,
  begunAt = performance.now(),
): Promise<T> {
  const { sql, values, take, lane } = what
  const { kind, mayRepeat } = purpose
  const send = (client: PostgresClient): Promise<T> => client.query(sql, values, take, kind === 'write', lane)
  const client = pool.free(kind, lane)
  const sent = client ? send(client) : pool.wait(kind, lane, send)
  return sent.catch(async (error: unknown) => {
    const tookMs = performance.now() - begunAt
    if (attempt >= attemptsMost || !mayRepeat(error, attempt, tookMs)) throw postgresError(error)
    await backOff(attempt)
    return single(pool, what, purpose, attempt + 1, begunAt)
  })
}

/** One attempt at a transaction, on a client that is reserved for it. */
type Attempt<T> = (client: PostgresClient) => Promise<TransactionEnd<T>>

async function transact<T>(pool: Pool, attempt: Attempt<T>, lane: string | null): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    const client = await pool.reserve(lane)
    const outcome = await attempt(client)
    pool.release(client)
    if (outcome.kind === 'done') return outcome.value
    const isOver = outcome.kind === 'failed' || isSilent(outcome.error)
    if (isOver || attempts >= attemptsMost) throw postgresError(outcome.error)
    await backOff(attempts)
  }
}

/** Exponential back-off with jitter, so that transactions that collided do not collide again. */
const backOff = (attempt: number): Promise<void> => sleep(Math.random() * 10 * 2 ** attempt)

async function withSession<T>(server: Server, work: (session: Session) => Promise<T>): Promise<T> {
  const connection = await connect(server, { patient: true }).catch(translated)
  try {
    return await work({
      all: async (text, values = []) => (await run(connection, { text, values }).catch(translated)).rows,
      script: async (text) => void (await run(connection, { text }).catch(translated)),
    })
  } finally {
    await connection.end(sessionEndMs)
  }
}

/** Sessions are for commands and for starting, so any other error of the server is told as one sentence too. */
const translated = (error: unknown): never => {
  throw refusedByServer(postgresError(error))
}

function liveCounters(
  counters: StoreCounters,
  clients: readonly PostgresClient[],
  pool: Pool,
  nodes: NodeCounts,
): StoreCounters {
  return Object.defineProperties(counters, {
    connections: { get: () => clients.filter((client) => client.connected).length },
    busyConnections: { get: () => clients.filter((client) => client.reserved || client.inFlight > 0).length },
    waiting: { get: () => pool.waiting },
    nodes: { get: () => nodes.all((lane) => pool.waitingIn(lane)) },
  })
}
