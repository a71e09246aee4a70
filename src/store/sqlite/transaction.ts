import type { Dialect } from '../../plan/dialect.ts'
import type { Transaction } from '../store.ts'
import type { Connection } from './connection.ts'
import { sqliteError } from './errors.ts'

export interface OpenTransaction extends Transaction {
  /** The error of a statement. It ends the transaction even when the caller catches it. */
  readonly failure: unknown
  end(): void
}

/**
 * Refuses statements after the transaction has ended (the connection then belongs to the next one), and after a statement has
 * failed: PostgreSQL does, and code that works on one store should work on the other.
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
      failure = sqliteError(error, writer.file)
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
