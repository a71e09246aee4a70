import { AsyncLocalStorage } from 'node:async_hooks'
import type { Maybe } from '../maybe.ts'
import type { StatementTimes } from './statement-times.ts'
import type { ClaimedWrite, Store, Transaction } from './store.ts'

/** What a request has asked of the store so far. */
export interface StoreWork {
  statements: number
  /** From sending each to its answer, with the wait for a connection, and that for a commit where the statement is a transaction of its own. */
  statementMs: number
}

/** The request that is being handled, also after what it waits for. */
const present = new AsyncLocalStorage<StoreWork | null>()

/** Counts the statements that `run` sends, however late, for a request. */
export const countedFor = <T>(work: StoreWork, run: () => T): T => present.run(work, run)

/** Work that a request only sets off, and that others profit from: its statements count for no request. */
export const countedForNobody = <T>(run: () => T): T => present.run(null, run)

/** A store that counts and times what is sent to it: by statement, and for the request that sent it. */
export function measuredStore(store: Store, times: StatementTimes): Store {
  const { writeClaimed } = store
  const measured = <T>(
    sql: string,
    answer: Maybe<T>,
    begunAt: number,
    work: StoreWork | null | undefined,
    statements = 1,
  ): Maybe<T> => {
    const note = (): void => {
      const ms = performance.now() - begunAt
      times.add(sql, ms)
      if (!work) return
      work.statements += statements
      work.statementMs += ms
    }
    // The caller gets the same promise, so that its way is no longer.
    if (answer instanceof Promise) void answer.then(note, note)
    else note()
    return answer
  }
  const measuredTransaction = (tx: Transaction, work: StoreWork | null | undefined): Transaction => ({
    dialect: tx.dialect,
    first(sql, values) {
      const begunAt = performance.now()
      return measured(sql, tx.first(sql, values), begunAt, work)
    },
    all(sql, values) {
      const begunAt = performance.now()
      return measured(sql, tx.all(sql, values), begunAt, work)
    },
  })
  return {
    ...store,
    first(sql, values, account) {
      const begunAt = performance.now()
      return measured(sql, store.first(sql, values, account), begunAt, present.getStore())
    },
    all(sql, values, account) {
      const begunAt = performance.now()
      return measured(sql, store.all(sql, values, account), begunAt, present.getStore())
    },
    async writeOne(sql, values, account) {
      const begunAt = performance.now()
      return measured(sql, store.writeOne(sql, values, account), begunAt, present.getStore())
    },
    writeClaimed:
      writeClaimed &&
      (async (writes, account) => {
        const begunAt = performance.now()
        const answer = writeClaimed(writes, account)
        return measured(writes.write.sql, answer, begunAt, present.getStore(), statementsOf(writes))
      }),
    transaction(work, account) {
      // Taken here: a transaction that waits is begun by whoever ends the one before.
      const asking = present.getStore()
      return store.transaction((tx) => work(measuredTransaction(tx, asking)), account)
    },
  }
}

const statementsOf = ({ claim, also = [] }: ClaimedWrite): number => (claim ? 2 : 1) + also.length
