import { arrayValues, type RowArray } from '../plan/row-array.ts'
import type { RowStatement } from '../plan/row-statements.ts'
import { statementParts } from '../store/statement-parts.ts'
import type { Transaction, Value } from '../store/store.ts'

/** SQLite takes 32,766 parameters, and PostgreSQL 65,535. */
const mostValues = 30_000

/** Rows of one table, by their values, as parts that one INSERT each takes. */
export const insertedAtOnce = (
  rows: readonly (readonly Value[])[],
): Iterable<readonly (readonly Value[])[]> => statementParts(rows, mostValues / (rows[0]?.length ?? 1))

/** Most rows of one array. The events of a large delete have up to 64 MB in all, which one array would make one text. */
const mostOfArray = 128

interface InsertsMany {
  /** From an array. */
  readonly array: {
    readonly as: RowArray
    readonly insert: (alike: boolean) => RowStatement
  } | null
  /** From the values of so many rows. */
  readonly ofValues: (rows: number) => RowStatement
}

/** Inserts rows, by their values. */
export async function insertAtOnce(
  tx: Transaction,
  account: string,
  rows: readonly (readonly Value[])[],
  { array, ofValues }: InsertsMany,
): Promise<void> {
  const send = ({ text, bind }: RowStatement, values: readonly Value[]) =>
    tx.first(text, bind({ account, values }))
  // Citus would copy the rows of an array to their node, and commit them in two phases. SQLite takes longer to read an array than values.
  if (array && rows.length > 1 && tx.dialect.insertsAlong === 'in one query')
    for (let from = 0; from < rows.length; from += mostOfArray) {
      const { alike, values } = arrayValues(array.as, rows.slice(from, from + mostOfArray))
      await send(array.insert(alike), values)
    }
  else for (const some of insertedAtOnce(rows)) await send(ofValues(some.length), some.flat())
}
