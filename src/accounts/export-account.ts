import type { Model } from '../compile/model.ts'
import { withSnapshot } from '../store/snapshot.ts'
import type { Store } from '../store/store.ts'
import { exportRows } from '../transfer/export-rows.ts'
import { inReferenceOrder } from '../transfer/resource-order.ts'

/**
 * Gives all rows of an account to `write`, some lines of JSON at a time, as they are at one moment: `nounkit import --account` reads them, under this name or
 * another one. Rows that all accounts share are not among them. Resolves with how many rows there were.
 */
export function exportAccount(
  { store, model }: { readonly store: Store; readonly model: Model },
  account: string,
  write: (text: string) => Promise<void> | void,
): Promise<number> {
  const own = [...model.stored.values()].filter(({ shared, engineMade }) => !shared && !engineMade)
  const what = { resources: inReferenceOrder(own), saysResource: true, accounts: [account] }
  return withSnapshot(store, async (snapshot) => {
    let rows = 0
    for await (const { lines } of exportRows(snapshot, store.dialect, what)) {
      await write(`${lines.join('\n')}\n`)
      rows += lines.length
    }
    return rows
  })
}
