import { allRows } from '../store/run-statement.ts'
import { type Store, StoreError } from '../store/store.ts'
import { isActive } from './key-ring.ts'
import { keyStatements, storedKeyOf } from './key-rows.ts'

/** Whether a key of this id still opens anything. A key that was rotated has its id from the old one. */
export async function keyLives(store: Store, account: string, id: string, now: number): Promise<boolean> {
  const { ofId, onNode } = keyStatements(store.dialect)
  try {
    const rows = await allRows(store, ofId(account, id))
    return rows.some((row) => isActive(storedKeyOf(row), now))
  } catch (error) {
    if (!store.allReachable || !(error instanceof StoreError) || error.kind !== 'unavailable') throw error
    const { rows, away } = await store.allReachable({ ...onNode, equal: { account_id: account, id } })
    // A key that was not found may be on a node that did not answer.
    if (rows.length === 0 && away.length > 0) throw error
    return rows.some((row) => isActive(storedKeyOf(row), now))
  }
}
