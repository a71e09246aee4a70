import { setTimeout as sleep } from 'node:timers/promises'
import type { Maybe } from '../../maybe.ts'
import type { Dialect } from '../../plan/dialect.ts'
import type { Session, Store, StoreCounters, Transaction, Value } from '../store.ts'
import { allRows, type Client, firstRow, rowsWritten } from './client.ts'
import { connect, run } from './connection.ts'
import type { Driver } from './driver.ts'
import type { Answer } from './driver-statement.ts'
import { isBroken, isReadOnly, isRetryable, postgresError } from './errors.ts'
import type { Pool } from './pool.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { attemptTransaction } from './transaction.ts'

const attemptsMost = 6
const sessionEndMs = 5_000

export interface PostgresParts {
  readonly driver: Driver
  readonly settings: PostgresSettings
  readonly clients: readonly Client[]
  readonly pool: Pool
  readonly counters: StoreCounters
  readonly dialect: Dialect
}

export function postgresStore(parts: PostgresParts): Store {
  const { driver, settings, clients, pool, counters, dialect } = parts
  const read = <T>(sql: string, values: readonly Value[], take: Take<T>) =>
    readFrom(pool, { sql, values, take })
  return {
    dialect,
    counters: liveCounters(counters, clients, pool),
    all: (sql, values) => read(sql, values, allRows),
    first: (sql, values) => read(sql, values, firstRow),
    async writeOne(sql, values) {
      const written = await single(pool, { sql, values, take: rowsWritten }, writing)
      counters.commits++
      counters.committed++
      return written
    },
    writeClaimed: null,
    refreshStatistics: null,
    async transaction(work) {
      const value = await transact(parts, work)
      counters.commits++
      counters.committed++
      return value
    },
    async ready() {
      await read('SELECT 1', [], allRows)
    },
    session: (work) => withSession(driver, settings, work),
    close: () => pool.end(),
  }
}

interface Purpose {
  readonly writes: boolean
  mayRepeat(error: unknown, attempt: number): boolean
}

const reading: Purpose = {
  writes: false,
  mayRepeat: (error, attempt) => isRetryable(error) || (attempt === 1 && isBroken(error)),
}
const writing: Purpose = { writes: true, mayRepeat: isRetryable }

type Take<T> = (answer: Answer) => T

/** Runs one reading statement, with retries where those may help. */
export const readFrom = <T>(pool: Pool, what: Single<T>): Promise<T> => single(pool, what, reading)

interface Single<T> {
  readonly sql: string
  readonly values: readonly Value[]
  readonly take: Take<T>
}

/** The first attempt allocates no async function where a client is free. */
function single<T>(pool: Pool, what: Single<T>, purpose: Purpose): Promise<T> {
  const client = pool.free(purpose.writes)
  if (!client) return withRetries(pool, what, purpose, 1)
  return client.query(what.sql, what.values, what.take, purpose.writes).catch(async (error: unknown) => {
    await beforeNextAttempt(client, error, purpose, 1)
    return withRetries(pool, what, purpose, 2)
  })
}

/** Waits for a client, and retries while that may help. */
async function withRetries<T>(
  pool: Pool,
  { sql, values, take }: Single<T>,
  purpose: Purpose,
  from: number,
): Promise<T> {
  for (let attempt = from; ; attempt++) {
    let client = pool.free(purpose.writes)
    while (!client) {
      await pool.change(purpose.writes)
      client = pool.free(purpose.writes)
    }
    try {
      return await client.query(sql, values, take, purpose.writes)
    } catch (error) {
      await beforeNextAttempt(client, error, purpose, attempt)
    }
  }
}

/** Waits before the next attempt; throws when there shall be none. */
async function beforeNextAttempt(
  client: Client,
  error: unknown,
  purpose: Purpose,
  attempt: number,
): Promise<void> {
  if (isReadOnly(error)) client.retire()
  if (attempt >= attemptsMost || !purpose.mayRepeat(error, attempt)) throw postgresError(error)
  await backOff(attempt)
}

async function transact<T>(
  { pool, settings, dialect }: PostgresParts,
  work: (tx: Transaction) => Maybe<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.reserve()
    const outcome = await attemptTransaction(client, dialect, settings, work)
    if (outcome.kind !== 'done' && isReadOnly(outcome.error)) client.retire()
    pool.release(client)
    if (outcome.kind === 'done') return outcome.value
    if (outcome.kind === 'failed' || attempt >= attemptsMost) throw postgresError(outcome.error)
    await backOff(attempt)
  }
}

/** Exponential back-off with jitter, so that transactions that collided do not collide again. */
const backOff = (attempt: number): Promise<void> => sleep(Math.random() * 10 * 2 ** attempt)

async function withSession<T>(
  driver: Driver,
  settings: PostgresSettings,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const connection = await connect(driver, settings, { patient: true }).catch(translated)
  try {
    return await work({
      all: async (text, values = []) => (await run(connection, { text, values }).catch(translated)).rows,
      script: async (text) => void (await run(connection, { text }).catch(translated)),
    })
  } finally {
    await connection.end(sessionEndMs)
  }
}

const translated = (error: unknown): never => {
  throw postgresError(error)
}

function liveCounters(counters: StoreCounters, clients: readonly Client[], pool: Pool): StoreCounters {
  return Object.defineProperties(counters, {
    connections: { get: () => clients.filter((client) => client.connected).length },
    busyConnections: { get: () => clients.filter((client) => client.reserved || client.inFlight > 0).length },
    waiting: { get: () => pool.waiting },
  })
}
