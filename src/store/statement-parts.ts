/** Each row more saves a call, and makes the statement longer. */
const mostRows = 64

/** Rows as parts that one statement each takes. The number of rows is a power of two, so that there are few texts of statements. */
export function* statementParts<T>(rows: readonly T[], most = mostRows): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; ) {
    const count = 2 ** Math.floor(Math.log2(Math.min(mostRows, most, rows.length - from)))
    yield rows.slice(from, from + count)
    from += count
  }
}
