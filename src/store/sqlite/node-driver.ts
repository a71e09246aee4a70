import { DatabaseSync } from 'node:sqlite'
import { bareParameters } from './bare-parameters.ts'
import { type DriverConnection, type DriverOptions, type DriverStatement, jsonNumber } from './driver.ts'

export function openNodeDriver(file: string, { readOnly, foreignKeys }: DriverOptions): DriverConnection {
  // No time-out: SQLite waits for a lock by blocking the thread, and no request would be served meanwhile.
  const database = new DatabaseSync(file, {
    readOnly,
    enableForeignKeyConstraints: foreignKeys,
    timeout: 0,
  })
  database.function('nounkit_number', { deterministic: true, directOnly: true }, jsonNumber)
  return {
    prepare(sql) {
      const statement = database.prepare(bareParameters(sql))
      statement.setReturnArrays(true)
      return statement as unknown as DriverStatement
    },
    // node:sqlite frees statements when their connection is closed.
    finish() {},
    exec: (sql) => database.exec(sql),
    get inTransaction() {
      return database.isTransaction
    },
    close: () => database.close(),
  }
}
