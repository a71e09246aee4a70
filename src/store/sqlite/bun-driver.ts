import type { Row } from '../store.ts'
import {
  type DriverConnection,
  type DriverOptions,
  type DriverStatement,
  type DriverValue,
  jsonNumber,
} from './driver.ts'

/** A statement of bun:sqlite, as far as it is used here. Bun's own types would declare its globals, also where Node runs. */
interface BunStatement {
  values(...bound: DriverValue[]): DriverValue[][]
  run(...bound: DriverValue[]): { readonly changes: number | bigint }
  finalize(): void
}

interface BunDatabase {
  readonly inTransaction: boolean
  prepare(sql: string): BunStatement
  run(sql: string): void
  function(name: string, options: object, code: (value: unknown) => string): void
  close(throwOnError: boolean): void
}

interface BunSqlite {
  readonly Database: new (file: string, options: object) => BunDatabase
}

const bunSqlite: string = 'bun:sqlite'
const { Database } = (await import(bunSqlite)) as BunSqlite

export function openBunDriver(file: string, { readOnly, foreignKeys }: DriverOptions): DriverConnection {
  const access = readOnly ? { readonly: true } : { readwrite: true, create: true }
  // Integers are read as bigints, because Bun rounds those that a number cannot hold without a word.
  const database = new Database(file, { ...access, safeIntegers: true })
  // No time-out: SQLite waits for a lock by blocking the thread, and no request would be served meanwhile.
  database.run(`PRAGMA busy_timeout = 0; PRAGMA foreign_keys = ${foreignKeys ? 'ON' : 'OFF'}`)
  const form = { deterministic: true, directOnly: true, safeIntegers: false }
  database.function('nounkit_number', form, jsonNumber)
  return {
    prepare: (sql) => new ReadAsNode(database.prepare(sql)),
    finish: (statement) => (statement as ReadAsNode).finish(),
    exec: (sql) => database.run(sql),
    get inTransaction() {
      return database.inTransaction
    },
    // SQLite would keep the file open where a statement is left: `true` makes that an error.
    close: () => database.close(true),
  }
}

/** A statement whose rows are those of node:sqlite. */
class ReadAsNode implements DriverStatement {
  readonly #statement: BunStatement

  constructor(statement: BunStatement) {
    this.#statement = statement
  }

  get(...values: DriverValue[]): Row | undefined {
    return this.all(...values)[0]
  }

  all(...values: DriverValue[]): Row[] {
    const rows = this.#statement.values(...values)
    for (const row of rows)
      for (let at = 0; at < row.length; at++)
        if (typeof row[at] === 'bigint') row[at] = safeNumber(row[at] as bigint)
    return rows as Row[]
  }

  run(...values: DriverValue[]): { readonly changes: number | bigint } {
    return this.#statement.run(...values)
  }

  finish(): void {
    this.#statement.finalize()
  }
}

/** node:sqlite refuses such an integer with the same code. */
const safeNumber = (value: bigint): number => {
  const number = Number(value)
  if (Number.isSafeInteger(number)) return number
  throw Object.assign(new RangeError(`The value ${value} cannot be read as a number`), {
    code: 'ERR_OUT_OF_RANGE',
  })
}
