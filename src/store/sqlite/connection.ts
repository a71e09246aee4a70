import { statementCache } from '../statement-cache.ts'
import type { Row, StoreCounters, Value } from '../store.ts'
import type { DriverStatement, DriverValue } from './driver.ts'
import { openDriver } from './open-driver.ts'

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
  const driver = openDriver(file, {
    readOnly: options.readOnly ?? false,
    foreignKeys: options.foreignKeys ?? true,
  })
  let isOpen = true
  const statements = statementCache<DriverStatement>(
    statementsKept,
    (sql) => {
      counters.prepared++
      return driver.prepare(sql)
    },
    driver.finish,
  )
  counters.connections++
  return {
    file,
    first(sql, values) {
      counters.statements++
      return statements.get(sql).get(...bound(values))
    },
    all(sql, values) {
      counters.statements++
      return statements.get(sql).all(...bound(values))
    },
    write(sql, values) {
      counters.statements++
      return Number(statements.get(sql).run(...bound(values)).changes)
    },
    control: (sql) => void statements.get(sql).run(),
    exec: (sql) => driver.exec(sql),
    get inTransaction() {
      return driver.inTransaction
    },
    close() {
      if (!isOpen) return
      isOpen = false
      statements.clear()
      driver.close()
      counters.connections--
    },
  }
}

/** The drivers bind a number as REAL, so that `? + 1` gives 6.0. A bigint is bound as INTEGER. */
const bound = (values: readonly Value[]): DriverValue[] => {
  const all: DriverValue[] = new Array(values.length)
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? null
    all[at] = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
  }
  return all
}
