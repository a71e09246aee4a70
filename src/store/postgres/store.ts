import { setTimeout as sleep } from 'node:timers/promises'
import type { Maybe } from '../../maybe.ts'
import { postgres } from '../../plan/postgres.ts'
import type { Row, Session, Store, StoreCounters, Transaction, Value } from '../store.ts'
import type { Client } from './client.ts'
import { type Driver, newClient } from './driver.ts'
import { isBroken, isReadOnly, isRetryable, postgresError } from './errors.ts'
import { createPool, type Pool } from './pool.ts'
import type { PostgresSettings } from './settings.ts'
import { attemptTransaction } from './transaction.ts'

const attemptsMost = 6

export function postgresStore(
  driver: Driver,
  settings: PostgresSettings,
  clients: readonly Client[],
  counters: StoreCounters,
): Store {
  const pool = createPool(clients, settings)
  const read = (sql: string, values: readonly Value[]) => single(pool, sql, values, mayReadAgain)
  return {
    dialect: postgres,
    counters: liveCounters(counters, clients, pool),
    all: read,
    first: (sql, values) => read(sql, values).then(firstRow),
    async writeOne(sql, values) {
      const rows = await single(pool, sql, values, isRetryable)
      counters.commits++
      counters.committed++
      return rows[0]
    },
    selfUndoing: null,
    async transaction(work) {
      const value = await transact(pool, settings, work)
      counters.commits++
      counters.committed++
      return value
    },
    async ready() {
      await read('SELECT 1', [])
    },
    session: (work) => withSession(driver, settings, work),
    close: () => pool.end(),
  }
}

type MayRepeat = (error: unknown, attempt: number) => boolean

const mayReadAgain: MayRepeat = (error, attempt) => isRetryable(error) || (attempt === 1 && isBroken(error))

const firstRow = (rows: readonly Row[]): Row | undefined => rows[0]

function single(
  pool: Pool,
  sql: string,
  values: readonly Value[],
  mayRepeat: MayRepeat,
): Promise<readonly Row[]> {
  const client = pool.free()
  if (!client) return insistently(pool, sql, values, mayRepeat, 1)
  return client.query(sql, values).catch(async (error: unknown) => {
    await beforeNextAttempt(client, error, mayRepeat, 1)
    return insistently(pool, sql, values, mayRepeat, 2)
  })
}

/** Waits for a connection, and tries again while that may help. */
async function insistently(
  pool: Pool,
  sql: string,
  values: readonly Value[],
  mayRepeat: MayRepeat,
  from: number,
): Promise<readonly Row[]> {
  for (let attempt = from; ; attempt++) {
    let client = pool.free()
    while (!client) {
      await pool.change()
      client = pool.free()
    }
    try {
      return await client.query(sql, values)
    } catch (error) {
      await beforeNextAttempt(client, error, mayRepeat, attempt)
    }
  }
}

/** Throws when there shall be none. */
async function beforeNextAttempt(
  client: Client,
  error: unknown,
  mayRepeat: MayRepeat,
  attempt: number,
): Promise<void> {
  if (isReadOnly(error)) client.retire()
  if (attempt >= attemptsMost || !mayRepeat(error, attempt)) throw postgresError(error)
  await pause(attempt)
}

async function transact<T>(
  pool: Pool,
  settings: PostgresSettings,
  work: (tx: Transaction) => Maybe<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.reserve()
    const outcome = await attemptTransaction(client, postgres, settings, work)
    if (outcome.kind !== 'done' && isReadOnly(outcome.error)) client.retire()
    pool.release(client)
    if (outcome.kind === 'done') return outcome.value
    if (outcome.kind === 'failed' || attempt >= attemptsMost) throw postgresError(outcome.error)
    await pause(attempt)
  }
}

/** Longer with each attempt, and by chance, so that those who were in each other's way do not meet again. */
const pause = (attempt: number): Promise<void> => sleep(Math.random() * 10 * 2 ** attempt)

async function withSession<T>(
  driver: Driver,
  settings: PostgresSettings,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const sql = newClient(driver, settings, { onclose: () => {}, patient: true })
  const translated = async <R>(run: () => PromiseLike<R>): Promise<R> => {
    try {
      return await run()
    } catch (error) {
      throw postgresError(error)
    }
  }
  try {
    return await work({
      all: (text, values = []) =>
        translated(() => sql.unsafe(text, values as Value[], { prepare: false }).values()) as Promise<
          readonly Row[]
        >,
      script: async (text) => void (await translated(() => sql.unsafe(text))),
    })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function liveCounters(counters: StoreCounters, clients: readonly Client[], pool: Pool): StoreCounters {
  return Object.defineProperties(counters, {
    connections: { get: () => clients.filter((client) => client.connected).length },
    busyConnections: { get: () => clients.filter((client) => client.reserved || client.inFlight > 0).length },
    waiting: { get: () => pool.waiting },
  })
}
