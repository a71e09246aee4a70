import type { SchemaVerdict } from '../../compile/schemas/schema-verdict.ts'

/**
 * Whether responses may be cached longer, or by more caches, than before. Then readers get older responses, and private data may
 * be stored where others read it.
 */
export const judgeCaching = (from: string, to: string): SchemaVerdict => {
  const [before, after] = [kept(from), kept(to)]
  const isMore = (Object.keys(after) as (keyof Kept)[]).some((name) => after[name] > before[name])
  return isMore ? 'breaking' : 'additive'
}

interface Kept {
  /** 0: nobody, 1: the caller's own cache, 2: shared caches where nothing else forbids it, 3: shared caches. */
  readonly by: number
  /** Seconds of freshness; infinite where the header does not say. */
  readonly fresh: number
  readonly freshInShared: number
  readonly stale: number
}

/** RFC 9111 §5.2.2, and RFC 5861 for stale responses. */
const kept = (text: string): Kept => {
  const entries = text.split(/, ?/).map((directive) => directive.split('='))
  const has = (name: string) => entries.some(([one]) => one === name)
  const seconds = (name: string, otherwise: number) => {
    const value = entries.find(([one]) => one === name)?.[1]
    return value === undefined ? otherwise : Number(value)
  }
  if (has('no-store')) return { by: 0, fresh: 0, freshInShared: 0, stale: 0 }
  const shared = has('public') || has('s-maxage')
  const fresh = has('no-cache') ? 0 : seconds('max-age', Number.POSITIVE_INFINITY)
  const mayBeStale = !has('no-cache') && !has('must-revalidate')
  return {
    by: has('private') ? 1 : shared ? 3 : 2,
    fresh,
    freshInShared: has('private') || has('no-cache') ? 0 : seconds('s-maxage', fresh),
    stale: mayBeStale ? Math.max(seconds('stale-while-revalidate', 0), seconds('stale-if-error', 0)) : 0,
  }
}
