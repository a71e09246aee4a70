import type { View } from '../compile/model.ts'
import type { Disclosure } from './disclosure.ts'

const mostQueries = 500

/**
 * Clients repeat their queries, so a query that was read for a view is kept, at most 500 per view. Reading a query takes 3 µs for
 * `limit=25` and 6 to 8 µs with an include, which is 8 to 20 % of such a request. Queries with a cursor differ each time and are not
 * kept, nor are those that were refused: a refusal depends on the caller.
 */
export function cachedQueries<T>(
  read: (query: string, view: View, ceiling: number, disclosure: Disclosure) => T,
): (query: string, view: View, ceiling: number, disclosure: Disclosure) => T {
  const byView = new WeakMap<View, Map<string, T>>()
  return (query, view, ceiling, disclosure) => {
    const queries = byView.get(view) ?? new Map<string, T>()
    byView.set(view, queries)
    const known = queries.get(query)
    if (known !== undefined) return known
    const fresh = read(query, view, ceiling, disclosure)
    if (query.includes('cursor=')) return fresh
    if (queries.size >= mostQueries) {
      const [oldest] = queries.keys()
      if (oldest !== undefined) queries.delete(oldest)
    }
    queries.set(query, fresh)
    return fresh
  }
}
