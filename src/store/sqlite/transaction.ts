import type { Dialect } from '../../plan/dialect.ts'
import type { PromptTransaction } from '../store.ts'
import type { Connection } from './connection.ts'
import { sqliteError } from './errors.ts'

export interface OpenTransaction extends PromptTransaction {
  /** Of a statement; what a work swallows still ends it. */
  readonly failure: unknown
  /** What was to undo the failed work failed too. */
  readonly undoFailed: boolean
  end(): void
}

/**
 * Refuses statements once its work has ended (by then the connection is somebody else's), and once one has failed: PostgreSQL
 * would, and what works on one store should work on the other. Only a work that undoes itself goes on, to do so.
 */
export function openTransaction(
  writer: Connection,
  dialect: Dialect,
  turn: number,
  whenCommitted: (then: () => void) => void,
  undoesItself: boolean,
): OpenTransaction {
  let open = true
  let failure: unknown
  let undoFailed = false
  const run = <T>(statement: () => T): T => {
    // Where the failure has ended the transaction itself there is nothing to undo, and nothing to undo it in.
    if (failure !== undefined && !(undoesItself && writer.inTransaction)) throw failure
    if (!open) throw new Error('A statement came after its transaction had ended: await every call in a hook')
    try {
      return statement()
    } catch (error) {
      undoFailed = failure !== undefined
      failure ??= sqliteError(error, writer.file)
      throw failure
    }
  }
  return {
    dialect,
    turn,
    whenCommitted,
    get prompt() {
      return this
    },
    first: (sql, values) => run(() => writer.first(sql, values)),
    all: (sql, values) => run(() => writer.all(sql, values)),
    write: (sql, values) => run(() => writer.write(sql, values)),
    get failure() {
      return failure
    },
    get undoFailed() {
      return undoFailed
    },
    end() {
      open = false
    },
  }
}
