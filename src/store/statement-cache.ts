/**
 * A bounded cache in two generations. An entry found in the old generation moves to the young one; when the young one is full, it
 * becomes the old one, and the former old one is dropped. This is close to least-recently-used, and a hit costs one map look-up.
 */
export interface StatementCache<S> {
  get(sql: string): S
  /** Drops all entries. */
  clear(): void
  readonly size: number
}

/** `drop` is called with each statement that leaves the cache. */
export function statementCache<S>(
  limit: number,
  prepare: (sql: string) => S,
  drop: (statement: S) => void = () => {},
): StatementCache<S> {
  let young = new Map<string, S>()
  let old = new Map<string, S>()
  const keep = (sql: string, statement: S): S => {
    if (young.size >= limit / 2) {
      for (const dropped of old.values()) drop(dropped)
      old = young
      young = new Map()
    }
    young.set(sql, statement)
    return statement
  }
  return {
    get(sql) {
      const known = young.get(sql)
      if (known !== undefined) return known
      const kept = old.get(sql)
      if (kept === undefined) return keep(sql, prepare(sql))
      old.delete(sql)
      return keep(sql, kept)
    },
    clear() {
      for (const dropped of [...young.values(), ...old.values()]) drop(dropped)
      young = new Map()
      old = new Map()
    },
    get size() {
      return young.size + old.size
    },
  }
}
