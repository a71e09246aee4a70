import type { Maybe } from '../../maybe.ts'
import type { Dialect } from '../../plan/dialect.ts'
import { minuteMs } from '../../times.ts'
import { type Row, StoreError, type Transaction, type Value } from '../store.ts'
import { firstRowOf, type PostgresClient, rowsOf } from './client.ts'
import { isCancelled, isRetryable, postgresError } from './errors.ts'
import type { PostgresSettings } from './postgres-settings.ts'

export type TransactionEnd<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** Nothing was begun, or the server rolled it back because of another transaction: a retry may succeed. */
  | { readonly kind: 'again'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Runs `work` once, on a client that is reserved for it. */
export async function attemptTransaction<T>(
  client: PostgresClient,
  dialect: Dialect,
  settings: PostgresSettings,
  work: (tx: Transaction) => Maybe<T>,
): Promise<TransactionEnd<T>> {
  try {
    await begin(client, settings)
  } catch (error) {
    return { kind: 'again', error }
  }
  const tx = openTransaction(client, dialect)
  const limit = timeLimit(client, settings)
  try {
    const value = await Promise.race([work(tx), limit.passed])
    await tx.commit()
    return { kind: 'done', value }
  } catch (thrown) {
    await tx.undo()
    const error = tx.failure ?? thrown
    return { kind: isRetryable(error) ? 'again' : 'failed', error }
  } finally {
    limit.lift()
  }
}

/** A transaction holds a connection and locks. When a hook does not end in time, the connection is closed and all is rolled back. */
function timeLimit(client: PostgresClient, settings: PostgresSettings) {
  const { promise: passed, reject } = Promise.withResolvers<never>()
  passed.catch(() => {})
  const ms = settings.statementMs > 0 ? 3 * settings.statementMs : minuteMs
  const timer = setTimeout(() => {
    client.cut()
    reject(new StoreError('unavailable', `PostgreSQL: a transaction was rolled back after ${ms} ms`))
  }, ms)
  return { passed, lift: () => clearTimeout(timer) }
}

export async function begin(client: PostgresClient, settings: PostgresSettings): Promise<void> {
  // Behind PgBouncer sessions are shared, so each transaction sets its own limits.
  const limits = `SET LOCAL statement_timeout = ${settings.statementMs}; SET LOCAL lock_timeout = ${settings.lockMs}`
  // The transaction that had this client before may have lost its connection.
  if (!client.connected) await client.connect()
  await client.command(settings.pgbouncer ? `BEGIN; ${limits}` : 'BEGIN')
  // A statement that was sent before may have ended the connection meanwhile.
  if (!client.connected) throw new StoreError('unavailable', 'PostgreSQL: the connection was lost')
}

interface OpenTransaction extends Transaction {
  /** The error of the first failed statement: PostgreSQL then rolls back the whole transaction. */
  readonly failure: unknown
  commit(): Promise<void>
  undo(): Promise<void>
}

function openTransaction(client: PostgresClient, dialect: Dialect): OpenTransaction {
  const { connectionCount } = client
  let failure: unknown
  let ended = false
  let last: Promise<unknown> = Promise.resolve()

  const refuseWhenEnded = (): void => {
    if (failure) throw postgresError(failure)
    if (ended) throw new Error('A statement came after its transaction had ended: await every call in a hook')
    // On a new connection the statement would be a transaction of its own.
    if (client.connectionCount !== connectionCount)
      throw new StoreError('unavailable', 'PostgreSQL: the connection was lost during a transaction')
  }

  /** One statement at a time: none may wait in the driver while an earlier one can still fail. */
  const oneAtATime = <T>(issue: () => Promise<T>): Promise<T> => {
    const done = last.then(async () => {
      refuseWhenEnded()
      try {
        return await issue()
      } catch (error) {
        failure ??= error
        throw postgresError(error)
      }
    })
    last = done.catch(() => {})
    return done
  }
  const all = (sql: string, values: readonly Value[]): Promise<readonly Row[]> =>
    oneAtATime(() => client.query(sql, values, rowsOf))

  return {
    dialect,
    all,
    first: (sql, values) => oneAtATime(() => client.query(sql, values, firstRowOf)),
    get failure() {
      return failure
    },
    async commit() {
      const tag = await oneAtATime(() => client.command('COMMIT'))
      ended = true
      if (tag !== 'COMMIT') throw new Error(`PostgreSQL answered COMMIT with ${tag}`)
    },
    async undo() {
      ended = true
      if (client.connectionCount !== connectionCount) return
      // A statement that took too long may have the session busy for as long again. The server undoes what a lost session has begun.
      if (isCancelled(failure)) return client.cut()
      await client.command('ROLLBACK').catch(() => client.cut())
    },
  }
}
