import { presentWork, type StoreWork } from '../call/counted-work.ts'
import type { Maybe } from '../maybe.ts'
import type { StatementTimes } from './statement-times.ts'
import type { ClaimedWrite, Store, Transaction, Value } from './store.ts'

/** Called with a statement of a request, when it was answered. */
export type OnStatement = (sql: string, values: readonly Value[]) => void

/** A store that counts and times what is sent to it: by statement, and for the request that sent it. */
export function measuredStore(store: Store, times: StatementTimes, onStatement?: OnStatement): Store {
  const { writeClaimed } = store
  const measured = <T>(
    sql: string,
    values: readonly Value[],
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
      onStatement?.(sql, values)
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
      return measured(sql, values, tx.first(sql, values), begunAt, work)
    },
    all(sql, values) {
      const begunAt = performance.now()
      return measured(sql, values, tx.all(sql, values), begunAt, work)
    },
  })
  return {
    ...store,
    first(sql, values, account) {
      const begunAt = performance.now()
      return measured(sql, values, store.first(sql, values, account), begunAt, presentWork())
    },
    all(sql, values, account) {
      const begunAt = performance.now()
      return measured(sql, values, store.all(sql, values, account), begunAt, presentWork())
    },
    async writeOne(sql, values, account) {
      const begunAt = performance.now()
      return measured(sql, values, store.writeOne(sql, values, account), begunAt, presentWork())
    },
    writeClaimed:
      writeClaimed &&
      (async (writes, account) => {
        const begunAt = performance.now()
        const answer = writeClaimed(writes, account)
        return measured(
          writes.write.sql,
          writes.write.values,
          answer,
          begunAt,
          presentWork(),
          statementsOf(writes),
        )
      }),
    transaction(work, account) {
      // Taken here: a transaction that waits is begun by whoever ends the one before.
      const asking = presentWork()
      return store.transaction((tx) => work(measuredTransaction(tx, asking)), account)
    },
  }
}

const statementsOf = ({ claim, also = [] }: ClaimedWrite): number => (claim ? 2 : 1) + also.length
