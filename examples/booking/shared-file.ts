import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { NodeSqliteDialect } from '@better-auth/kysely-adapter/node-sqlite-dialect'

type Driver = ReturnType<NodeSqliteDialect['createDriver']>
type Connection = Awaited<ReturnType<Driver['acquireConnection']>>

/**
 * A SQLite file that the API writes, too, from this process. One of both writes at a time: who finds the file locked lets the other go on, and
 * tries again. `timeout` of DatabaseSync would stop the process instead, and with it whoever has the lock.
 */
export class SharedFile extends NodeSqliteDialect {
  constructor(path: string) {
    super({ database: new DatabaseSync(path, { timeout: 0 }) })
  }

  override createDriver(): Driver {
    const driver = super.createDriver()
    const acquire = driver.acquireConnection.bind(driver)
    driver.acquireConnection = async () => patient(await acquire())
    return driver
  }
}

const patient = (connection: Connection): Connection => ({
  ...connection,
  async executeQuery<R>(query: Parameters<Connection['executeQuery']>[0]) {
    // A transaction that first reads and then writes would fail where somebody else has written in between.
    const sent = query.sql === 'begin' ? { ...query, sql: 'begin immediate' } : query
    for (const giveUpAt = Date.now() + 5_000; ; await sleep(5)) {
      try {
        return await connection.executeQuery<R>(sent)
      } catch (error) {
        if (!isLocked(error) || Date.now() > giveUpAt) throw error
      }
    }
  },
})

const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === 5
