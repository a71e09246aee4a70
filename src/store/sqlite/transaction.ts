import type { Dialect } from '../../plan/dialect.ts'
import type { Transaction } from '../store.ts'
import type { Connection } from './connection.ts'
import { sqliteError } from './errors.ts'

export interface OpenTransaction extends Transaction {
  end(): void
}

/** Refuses statements once its work has ended: by then the connection is somebody else's. */
export function openTransaction(writer: Connection, dialect: Dialect): OpenTransaction {
  let open = true
  const refuseWhenEnded = (): void => {
    if (!open) throw new Error('A statement came after its transaction had ended: await every call in a hook')
  }
  return {
    dialect,
    first(sql, values) {
      refuseWhenEnded()
      try {
        return writer.first(sql, values)
      } catch (error) {
        throw sqliteError(error)
      }
    },
    all(sql, values) {
      refuseWhenEnded()
      try {
        return writer.all(sql, values)
      } catch (error) {
        throw sqliteError(error)
      }
    },
    end() {
      open = false
    },
  }
}
