import type { Dialect } from '../plan/dialect.ts'
import { rowStatement } from '../plan/row-statements.ts'
import { Binds } from '../plan/statement.ts'
import { bindSlots } from '../read/call.ts'
import { unfinishedKey, unfinishedPrefix } from '../store/schema/unfinished-key.ts'
import type { Row, Store, Transaction } from '../store/store.ts'
import type { HeldBack, RowReferences } from './held-back.ts'
import type { FileRow } from './read-row.ts'

/** The key of a row in `nounkit_meta`. */
const keyOf = ({ account, resource, id }: Omit<RowReferences, 'fields'>): string =>
  unfinishedKey(account, resource.name, id)

/** The fields that a row lacks, by the key of the row. */
type Notes = ReadonlyMap<string, readonly string[]>

const notesIn = (rows: readonly Row[]): Notes =>
  new Map(rows.map(([key, fields]) => [String(key), JSON.parse(String(fields)) as readonly string[]]))

/**
 * The rows that were inserted without some of their references, and still lack them. The fields of those references are noted in
 * `nounkit_meta`, in the transactions that write the rows. What such a reference is, is said by the file that is imported next and has the
 * row: the same file, which goes on, or a corrected one. A field that is not noted any more is never set: a reference that somebody cleared
 * after it was set stays cleared. A client that sends null for a reference which the row lacks changes nothing, so nothing is known of it, and
 * the reference is set.
 */
export class UnfinishedRows {
  readonly #notes: Notes

  private constructor(notes: Notes) {
    this.#notes = notes
  }

  static async read(store: Store): Promise<UnfinishedRows> {
    const binds = new Binds(store.dialect)
    const { text, slots } = rowStatement(
      `SELECT "key", "value" FROM "nounkit_meta" WHERE "key" LIKE ${binds.use(0, 'string')}`,
      binds,
    )
    return new UnfinishedRows(
      notesIn(await store.all(text, bindSlots(slots, { account: '', values: [`${unfinishedPrefix}%`] }))),
    )
  }

  /** The fields that the row lacks. */
  of({ resource, account, row }: FileRow): readonly string[] {
    // Most imports find no notes at all, and have very many rows.
    if (this.#notes.size === 0) return []
    return this.#notes.get(keyOf({ resource, account, id: String(row.id) })) ?? []
  }
}

/** Notes that these rows lack their references. */
export const noteUnfinished = (tx: Transaction, rows: readonly HeldBack[]): Promise<void> =>
  writeNotes(tx, new Map(rows.map((row) => [keyOf(row), Object.keys(row.references)])))

async function writeNotes(tx: Transaction, notes: Notes): Promise<void> {
  if (notes.size === 0) return
  const binds = new Binds(tx.dialect)
  const given = tx.dialect.rowsIn(binds.use(0, 'json'), columns)
  const { text, slots } = rowStatement(
    `INSERT INTO "nounkit_meta" ("key", "value") SELECT g."key", g."value" FROM (${given}) g WHERE true ON CONFLICT ("key") DO UPDATE SET "value" = excluded."value"`,
    binds,
  )
  const all = [...notes].map(([key, fields]) => [key, JSON.stringify(fields)])
  await tx.first(text, bindSlots(slots, { account: '', values: [JSON.stringify(all)] }))
}

const columns: Parameters<Dialect['rowsIn']>[1] = [
  { name: 'key', kind: 'string' },
  { name: 'value', kind: 'string' },
]

/** Forgets that rows lack these fields. Others that they lack stay noted. Gives what was noted before. */
export async function forgetUnfinished(tx: Transaction, rows: readonly RowReferences[]): Promise<Notes> {
  const binds = new Binds(tx.dialect)
  const keys = tx.dialect.listed(binds.use(0, 'json'))
  const { text, slots } = rowStatement(
    `DELETE FROM "nounkit_meta" WHERE "key" IN (${keys}) RETURNING "key", "value"`,
    binds,
  )
  const list = JSON.stringify(rows.map(keyOf))
  const notes = notesIn(await tx.all(text, bindSlots(slots, { account: '', values: [list] })))
  const left = rows.map((row) => {
    const key = keyOf(row)
    return [key, (notes.get(key) ?? []).filter((field) => !row.fields.includes(field))] as const
  })
  await writeNotes(tx, new Map(left.filter(([, fields]) => fields.length > 0)))
  return notes
}

/** Forgets that these rows lack their references; gives those that were noted. */
export async function takeUnfinished(
  tx: Transaction,
  rows: readonly HeldBack[],
): Promise<readonly HeldBack[]> {
  const notes = await forgetUnfinished(
    tx,
    rows.map((row) => ({ ...row, fields: Object.keys(row.references) })),
  )
  return rows.flatMap((row) => {
    const noted = notes.get(keyOf(row)) ?? []
    const references = Object.entries(row.references).filter(([field]) => noted.includes(field))
    return references.length > 0 ? [{ ...row, references: Object.fromEntries(references) }] : []
  })
}
