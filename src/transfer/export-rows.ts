import type { Resource } from '../compile/model.ts'
import type { Dialect } from '../plan/dialect.ts'
import { accountsWithRows, rowsAfter } from '../plan/whole-rows.ts'
import type { Session } from '../store/store.ts'
import { marks } from './read-row.ts'

export interface Exported {
  /** In the order in which they are written. */
  readonly resources: readonly Resource[]
  /** Whether each line says its resource. */
  readonly saysResource: boolean
  /** Null for all. Rows of shared resources belong to none and are always written. */
  readonly accounts: readonly string[] | null
}

/** Some rows of one resource and account, as lines of JSON. */
export interface ExportedRows {
  /** Empty for shared rows. */
  readonly account: string
  readonly lines: readonly string[]
}

/** How many rows are read at once. */
const pageRows = 1_000

/** The rows, some at a time, from a snapshot. */
export async function* exportRows(
  snapshot: Session,
  dialect: Dialect,
  { resources, saysResource, accounts }: Exported,
): AsyncGenerator<ExportedRows> {
  for (const resource of resources) {
    const ofResource = saysResource ? { [marks.resource]: resource.name } : {}
    for (const account of await accountsOf(snapshot, resource, accounts)) {
      const isSaid = !resource.shared && accounts?.length !== 1
      const ofAccount = { ...ofResource, ...(isSaid && { [marks.account]: account }) }
      for await (const lines of accountLines(snapshot, dialect, resource, account, ofAccount))
        yield { account, lines }
    }
  }
}

/** The accounts that have rows of the resource. Shared rows belong to the account with the empty name. */
async function accountsOf(
  snapshot: Session,
  resource: Resource,
  accounts: readonly string[] | null,
): Promise<readonly string[]> {
  if (resource.shared) return ['']
  if (accounts) return accounts
  return (await snapshot.all(accountsWithRows(resource))).map(([account]) => String(account))
}

async function* accountLines(
  snapshot: Session,
  dialect: Dialect,
  resource: Resource,
  account: string,
  marked: { readonly [mark: string]: string },
): AsyncGenerator<readonly string[]> {
  const { text, bind } = rowsAfter(resource, dialect, pageRows)
  for (let after = ''; ; ) {
    const rows = await snapshot.all(text, bind({ account, id: after }))
    if (rows.length > 0)
      yield rows.map(([, row, version]) => {
        const head = JSON.stringify({ ...marked, [marks.version]: version })
        return `${head.slice(0, -1)},${String(row).slice(1)}`
      })
    if (rows.length < pageRows) return
    after = String(rows.at(-1)?.[0])
  }
}
