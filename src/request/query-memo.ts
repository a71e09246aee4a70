import type { View } from '../compile/model.ts'

const mostQueries = 500

/**
 * Clients repeat their queries, so what was once read for a view is kept; a cursor is new each time, and a query that still
 * has one is not. Only what was accepted is kept, and the oldest makes room.
 */
export function rememberQueries<T>(
  read: (query: string, view: View, ceiling: number) => T,
): (query: string, view: View, ceiling: number) => T {
  const byView = new WeakMap<View, Map<string, T>>()
  return (query, view, ceiling) => {
    let queries = byView.get(view)
    if (!queries) {
      queries = new Map()
      byView.set(view, queries)
    }
    const known = queries.get(query)
    if (known !== undefined) return known
    const fresh = read(query, view, ceiling)
    if (query.includes('cursor=')) return fresh
    if (queries.size >= mostQueries) {
      const [oldest] = queries.keys()
      if (oldest !== undefined) queries.delete(oldest)
    }
    queries.set(query, fresh)
    return fresh
  }
}
