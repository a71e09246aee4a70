import type { Model } from '../../compile/model.ts'
import { type Store, textOrNull } from '../../store/store.ts'
import { sumsOf } from './sums.ts'

/** A row whose sum is not what the rows give that it adds up. */
export interface WrongSum {
  readonly resource: string
  readonly field: string
  /** Null for a shared row. */
  readonly account: string | null
  readonly id: string
  /** The sums as JSON shows them. */
  readonly stored: unknown
  readonly counted: unknown
}

/** Adds up all rows of all accounts again. Each sum is read by one statement, so that writes meanwhile do not matter. */
export const findWrongSums = (store: Store, model: Model): Promise<readonly WrongSum[]> =>
  store.session(async (session) => {
    const found: WrongSum[] = []
    for (const { resource, field, wrong } of sumsOf(model, store.dialect))
      for (const [account = null, id, stored, counted] of await session.all(wrong))
        found.push({
          resource,
          field,
          account: textOrNull(account),
          id: String(id),
          stored: JSON.parse(String(stored)),
          counted: JSON.parse(String(counted)),
        })
    return found
  })
