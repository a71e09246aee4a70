const tokens = /'[^']*'|"[^"]*"|\?(\d+)/g

/**
 * The statement with `?` for each of `?1`, `?2` and so on, where they stand in this order, each once; else the statement as it is. Before it
 * binds a value, node:sqlite asks SQLite for the parameter's name, and SQLite finds a number by going through all that come before it: 64 rows
 * of 9 values take nearly 3 times as long to insert with numbers.
 */
export function bareParameters(sql: string): string {
  let found = 0
  let inOrder = true
  const bare = sql.replace(tokens, (token, number?: string) => {
    if (number === undefined) return token
    inOrder &&= Number(number) === ++found
    return '?'
  })
  return inOrder ? bare : sql
}
