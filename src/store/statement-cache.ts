/** A bounded cache. Whatever was used longest ago makes room. */
export interface StatementCache<S> {
  get(sql: string): S
  /** Drops all entries. */
  clear(): void
}

/** `drop` is called with each statement that leaves the cache. */
export function statementCache<S>(
  limit: number,
  prepare: (sql: string) => S,
  drop: (statement: S) => void,
): StatementCache<S> {
  /** A map keeps the order in which entries were set. */
  const kept = new Map<string, S>()
  return {
    get(sql) {
      const statement = kept.get(sql) ?? prepare(sql)
      kept.delete(sql)
      kept.set(sql, statement)
      if (kept.size <= limit) return statement
      for (const [oldest, left] of kept.entries().take(1)) {
        kept.delete(oldest)
        drop(left)
      }
      return statement
    },
    clear() {
      for (const statement of kept.values()) drop(statement)
      kept.clear()
    },
  }
}
