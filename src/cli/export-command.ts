import { counted } from '../compile/names/plural.ts'
import { withSnapshot } from '../store/snapshot.ts'
import { demandFit } from '../transfer/demand-fit.ts'
import { exportRows } from '../transfer/export-rows.ts'
import { accountOf } from './account-flag.ts'
import { accountKeys, noteEmptyAccount } from './account-keys.ts'
import type { Given } from './command.ts'
import { withStore } from './command-store.ts'
import { namedResources } from './named-resources.ts'
import { OutputClosed, openOutput } from './output.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress } from './progress.ts'

export const options = {
  resource: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    does: 'only the rows of this resource; repeatable',
  },
  account: {
    type: 'string',
    multiple: true,
    value: 'ACCOUNT',
    does: 'only the rows of this account; repeatable',
  },
} as const

/** `nounkit export [API]`: writes rows to standard output, each as a line of JSON, all as they are at one moment. */
export async function exportCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  const names = flags.resource ?? []
  return withStore(place, async ({ model, store }) => {
    for (const account of flags.account ?? []) accountOf(model, account)
    const accounts = flags.account ? [...new Set(flags.account)] : null
    // Rows that all accounts share are not an account's own.
    const resources = namedResources(model, names).filter(
      ({ shared }) => !shared || accounts === null || names.length > 0,
    )
    await demandFit(store, model)
    const write = openOutput(process.stdout)
    const progress = openProgress()
    // An import of the lines would need --resource too.
    const saysResource = names.length === 0 || resources.length > 1
    // Where there is one account, no line says it.
    const sole = model.soleAccount === null ? null : [model.soleAccount]
    const what = { resources, saysResource, accounts: accounts ?? sole }
    const empty = new Set(resources.some(({ shared }) => !shared) ? accounts : [])
    let rows = 0
    try {
      await withSnapshot(store, async (snapshot) => {
        for await (const { account, lines } of exportRows(snapshot, store.dialect, what)) {
          await write(`${lines.join('\n')}\n`)
          empty.delete(account)
          rows += lines.length
          progress.show(counted(rows, 'row'))
        }
      })
    } catch (error) {
      if (error instanceof OutputClosed) return 1
      throw error
    } finally {
      progress.end()
    }
    const lacking = names.length === 0 ? 'no rows' : `no rows of ${names.join(', ')}`
    for (const account of empty) noteEmptyAccount(account, lacking, await accountKeys(store, account))
    if (process.stderr.isTTY) console.error(`Exported ${counted(rows, 'row')}.`)
    return 0
  })
}
