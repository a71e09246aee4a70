import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { statementCache } from '../statement-cache.ts'
import type { Row, StoreCounters, Value } from '../store.ts'

/** One connection with its prepared statements. Everything on it is synchronous and throws the driver's errors. */
export interface Connection {
  /** Its path, for messages. */
  readonly file: string
  first(sql: string, values: readonly Value[]): Row | undefined
  all(sql: string, values: readonly Value[]): Row[]
  /** The number of rows written. RETURNING would cost more: SQLite collects its rows in a temporary table. */
  write(sql: string, values: readonly Value[]): number
  /** BEGIN, SAVEPOINT, COMMIT and the like. */
  control(sql: string): void
  exec(sql: string): void
  readonly inTransaction: boolean
  close(): void
}

const statementsKept = 512

export function openConnection(
  file: string,
  options: { readonly readOnly?: boolean; readonly foreignKeys?: boolean },
  counters: StoreCounters,
): Connection {
  // No time-out: SQLite waits for a lock by blocking the thread, and no request would be served meanwhile.
  const database = new DatabaseSync(file, {
    readOnly: options.readOnly ?? false,
    enableForeignKeyConstraints: options.foreignKeys ?? true,
    timeout: 0,
  })
  database.function('nounkit_number', { deterministic: true, directOnly: true }, jsonNumber)
  const statements = statementCache<StatementSync>(statementsKept, (sql) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    counters.prepared++
    return statement
  })
  counters.connections++
  return {
    file,
    first(sql, values) {
      counters.statements++
      return statements.get(sql).get(...bound(values)) as Row | undefined
    },
    all(sql, values) {
      counters.statements++
      return statements.get(sql).all(...bound(values)) as unknown as Row[]
    },
    write(sql, values) {
      counters.statements++
      return Number(statements.get(sql).run(...bound(values)).changes)
    },
    control: (sql) => void statements.get(sql).run(),
    exec: (sql) => database.exec(sql),
    get inTransaction() {
      return database.isTransaction
    },
    close() {
      if (!database.isOpen) return
      database.close()
      counters.connections--
    },
  }
}

/** A number as JSON, for the SQL function nounkit_number. */
const jsonNumber = (value: unknown): string => JSON.stringify(value ?? null)

/** node:sqlite binds a number as REAL, so that `? + 1` gives 6.0. A bigint is bound as INTEGER. */
const bound = (values: readonly Value[]): (Value | bigint)[] => {
  const all: (Value | bigint)[] = new Array(values.length)
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? null
    all[at] = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
  }
  return all
}
