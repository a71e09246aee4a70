import type { View } from '../compile/model.ts'

const mostQueries = 500
const mostRecent = 4

interface Kept<T> {
  readonly all: Map<string, T>
  /** The last few of them, looked at first: a text that is looked up in a map has to be hashed and entered into a table. */
  readonly recent: { readonly query: string; readonly read: T }[]
  next: number
}

/**
 * Clients repeat their queries, so what was once read for a view is kept; a cursor is new each time, and a query that still
 * has one is not. Only what was accepted is kept, and the oldest makes room.
 */
export function rememberQueries<T>(
  read: (query: string, view: View, ceiling: number) => T,
): (query: string, view: View, ceiling: number) => T {
  const byView = new WeakMap<View, Kept<T>>()
  return (query, view, ceiling) => {
    let kept = byView.get(view)
    if (!kept) {
      kept = { all: new Map(), recent: [], next: 0 }
      byView.set(view, kept)
    }
    for (const one of kept.recent) if (one.query === query) return one.read
    const known = kept.all.get(query)
    if (known !== undefined) return keepRecent(kept, query, known)
    const fresh = read(query, view, ceiling)
    if (query.includes('cursor=')) return fresh
    if (kept.all.size >= mostQueries) {
      const [oldest] = kept.all.keys()
      if (oldest !== undefined) kept.all.delete(oldest)
    }
    kept.all.set(query, fresh)
    return fresh
  }
}

function keepRecent<T>(kept: Kept<T>, query: string, read: T): T {
  kept.recent[kept.next] = { query, read }
  kept.next = (kept.next + 1) % mostRecent
  return read
}
