import type { Maybe } from '../../maybe.ts'
import { sqlite } from '../../plan/sqlite.ts'
import type { Row, Session, Store, StoreCounters, Value } from '../store.ts'
import { type Connection, openConnection } from './connection.ts'
import { isBusy, sqliteError } from './errors.ts'
import { GroupCommit } from './group-commit.ts'
import { whenFree } from './retry.ts'
import { analyzeGrown } from './statistics.ts'

export interface Connections {
  /** Used for reads while the writer is in a transaction, whose rows must not be seen yet. */
  readonly reader: Connection
  readonly writer: Connection
}

export function sqliteStore(
  file: string,
  { reader, writer }: Connections,
  counters: StoreCounters,
  patienceMs: number,
): Store {
  const commits = new GroupCommit(writer, sqlite, counters, patienceMs)
  /**
   * Reads go to the writer when it is in no transaction: its page cache stays valid over its own commits, whereas any other
   * connection drops all its cached pages after a commit.
   */
  const idle = (): Connection => (writer.inTransaction ? reader : writer)
  /** A read finds a lock only while another process recovers or removes the write-ahead log, so it rarely waits. */
  const reading = <T>(read: () => T): Maybe<T> => {
    try {
      return read()
    } catch (error) {
      if (isBusy(error)) return translated(file, whenFree(read, patienceMs))
      throw sqliteError(error, file)
    }
  }
  return {
    dialect: sqlite,
    counters,
    first: (sql, values) => reading(() => idle().first(sql, values)),
    all: (sql, values) => reading(() => idle().all(sql, values)),
    writeOne: (sql, values) => commits.write(sql, values),
    writeClaimed: (writes) => commits.writeClaimed(writes),
    transaction: (work) => commits.run(work),
    async ready() {
      await reading(() => idle().first('SELECT 1 FROM sqlite_schema LIMIT 1', []))
      return []
    },
    session: (work) => withSession(file, counters, 6 * patienceMs, work),
    allReachable: null,
    refreshStatistics: () => withSession(file, counters, patienceMs, analyzeGrown),
    async close() {
      await commits.drain()
      reader.close()
      writer.close()
    },
  }
}

async function translated<T>(file: string, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    throw sqliteError(error, file)
  }
}

/** Foreign keys are off in a session, because SQLite can rebuild a table only then. A migration runs `foreign_key_check` itself. */
async function withSession<T>(
  file: string,
  counters: StoreCounters,
  patienceMs: number,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const connection = openConnection(file, { foreignKeys: false }, counters)
  const run = <R>(attempt: () => R): Promise<R> => translated(file, whenFree(attempt, patienceMs))
  try {
    return await work({
      all: (sql: string, values: readonly Value[] = []): Promise<readonly Row[]> =>
        run(() => connection.all(sql, values)),
      script: (sql) => run(() => connection.exec(sql)),
    })
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK')
    connection.close()
  }
}
