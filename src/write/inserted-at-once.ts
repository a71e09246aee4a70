import { statementParts } from '../store/statement-parts.ts'
import type { Value } from '../store/store.ts'

/** SQLite takes 32,766 parameters, and PostgreSQL 65,535. */
const mostValues = 30_000

/** Rows of one table, by their values, as parts that one INSERT each takes. */
export const insertedAtOnce = (
  rows: readonly (readonly Value[])[],
): Iterable<readonly (readonly Value[])[]> => statementParts(rows, mostValues / (rows[0]?.length ?? 1))
