import type { Session, Store } from './store.ts'

const begin = {
  // The snapshot is that of the first read. Writers go on beside it, in the write-ahead log.
  sqlite: 'BEGIN',
  postgres: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
} as const

/** Reads the whole store as it is at one moment. Nobody who reads or writes meanwhile waits for it. */
export const withSnapshot = <T>(store: Store, work: (snapshot: Session) => Promise<T>): Promise<T> =>
  store.session(async (session) => {
    await session.script(begin[store.dialect.name])
    try {
      return await work(session)
    } finally {
      await session.script('ROLLBACK')
    }
  })
