import type { Dialect } from '../../plan/dialect.ts'
import type { Transaction } from '../store.ts'
import type { Connection } from './connection.ts'
import { sqliteError } from './errors.ts'

export interface OpenTransaction extends Transaction {
  /** Of a statement; what a work swallows still ends it. */
  readonly failure: unknown
  end(): void
}

/**
 * Refuses statements once its work has ended (by then the connection is somebody else's), and once one has failed: PostgreSQL
 * would, and what works on one store should work on the other.
 */
export function openTransaction(writer: Connection, dialect: Dialect): OpenTransaction {
  let open = true
  let failure: unknown
  const run = <T>(statement: () => T): T => {
    if (failure !== undefined) throw failure
    if (!open) throw new Error('A statement came after its transaction had ended: await every call in a hook')
    try {
      return statement()
    } catch (error) {
      failure = sqliteError(error)
      throw failure
    }
  }
  return {
    dialect,
    first: (sql, values) => run(() => writer.first(sql, values)),
    all: (sql, values) => run(() => writer.all(sql, values)),
    get failure() {
      return failure
    },
    end() {
      open = false
    },
  }
}
