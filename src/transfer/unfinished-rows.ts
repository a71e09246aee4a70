import type { Dialect } from '../plan/dialect.ts'
import { rowStatement } from '../plan/row-statements.ts'
import { Binds } from '../plan/statement.ts'
import { bindSlots } from '../read/call.ts'
import type { Store, Transaction } from '../store/store.ts'
import type { HeldBack } from './held-back.ts'

/** The references that a row still lacks: the id of the other row, by field. */
export type References = HeldBack['references']

const prefix = 'unfinished '

/** The key of a row in `nounkit_meta`. */
const keyOf = (account: string, resource: string, id: string): string =>
  prefix + JSON.stringify([account, resource, id])

/**
 * The rows that were inserted without some of their references, and still lack them. They are noted in `nounkit_meta`, in the transactions
 * that write the rows: an import that goes on, or one of a corrected file, sets exactly these references, and none that somebody cleared.
 */
export class UnfinishedRows {
  readonly #known: ReadonlyMap<string, References>

  private constructor(known: ReadonlyMap<string, References>) {
    this.#known = known
  }

  static async read(store: Store): Promise<UnfinishedRows> {
    const binds = new Binds(store.dialect)
    const { text, slots } = rowStatement(
      `SELECT "key", "value" FROM "nounkit_meta" WHERE "key" LIKE ${binds.use(0, 'string')}`,
      binds,
    )
    const rows = await store.all(text, bindSlots(slots, { account: '', values: [`${prefix}%`] }))
    return new UnfinishedRows(
      new Map(rows.map(([key, references]) => [String(key), JSON.parse(String(references)) as References])),
    )
  }

  of(account: string, resource: string, id: string): References | null {
    return this.#known.get(keyOf(account, resource, id)) ?? null
  }
}

/** Notes that these rows lack their references. */
export async function noteUnfinished(tx: Transaction, rows: readonly HeldBack[]): Promise<void> {
  if (rows.length === 0) return
  const binds = new Binds(tx.dialect)
  const given = tx.dialect.rowsIn(binds.use(0, 'json'), columns)
  const { text, slots } = rowStatement(
    `INSERT INTO "nounkit_meta" ("key", "value") SELECT g."key", g."value" FROM (${given}) g WHERE true ON CONFLICT ("key") DO UPDATE SET "value" = excluded."value"`,
    binds,
  )
  const all = rows.map((row) => [keyOfRow(row), JSON.stringify(row.references)])
  await tx.first(text, bindSlots(slots, { account: '', values: [JSON.stringify(all)] }))
}

const columns: Parameters<Dialect['rowsIn']>[1] = [
  { name: 'key', kind: 'string' },
  { name: 'value', kind: 'string' },
]

/** Forgets that these rows lacked references; gives those of which it was known. */
export async function takeUnfinished(
  tx: Transaction,
  rows: readonly HeldBack[],
): Promise<readonly HeldBack[]> {
  const binds = new Binds(tx.dialect)
  const keys = tx.dialect.listed(binds.use(0, 'json'))
  const { text, slots } = rowStatement(
    `DELETE FROM "nounkit_meta" WHERE "key" IN (${keys}) RETURNING "key"`,
    binds,
  )
  const list = JSON.stringify(rows.map(keyOfRow))
  const taken = new Set(
    (await tx.all(text, bindSlots(slots, { account: '', values: [list] }))).map(([key]) => key),
  )
  return rows.filter((row) => taken.has(keyOfRow(row)))
}

const keyOfRow = ({ account, resource, id }: HeldBack): string => keyOf(account, resource.name, id)
