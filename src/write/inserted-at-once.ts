import type { Value } from '../store/store.ts'

/** Each more saves a call, and makes the statement longer. */
const mostRows = 64
/** SQLite takes 32,766 parameters, and PostgreSQL 65,535. */
const mostValues = 30_000

/**
 * Rows, by their values, as parts that one INSERT each takes. The number of rows is a power of two, so that there are few texts of
 * statements.
 */
export function* insertedAtOnce(
  rows: readonly (readonly Value[])[],
): Generator<readonly (readonly Value[])[]> {
  for (let from = 0; from < rows.length; ) {
    const most = Math.min(mostRows, mostValues / (rows[from]?.length ?? 1))
    const count = 2 ** Math.floor(Math.log2(Math.min(most, rows.length - from)))
    yield rows.slice(from, from + count)
    from += count
  }
}
