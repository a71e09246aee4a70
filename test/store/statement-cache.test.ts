import { expect, test } from 'vitest'
import { statementCache } from '../../src/store/statement-cache.ts'

test('a statement in use stays prepared while others come and go, and the cache stays small', () => {
  const prepared: string[] = []
  const dropped: { readonly sql: string }[] = []
  const prepare = (sql: string) => {
    prepared.push(sql)
    return { sql }
  }
  const cache = statementCache(20, prepare, (statement) => dropped.push(statement))
  const kept = cache.get('in use')
  for (let at = 0; at < 1_000; at++) {
    cache.get(`once ${at}`)
    if (at % 5 === 0) expect(cache.get('in use')).toBe(kept)
    expect(prepared.length - dropped.length).toBeLessThanOrEqual(20)
  }
  expect(prepared.filter((sql) => sql === 'in use')).toHaveLength(1)
  expect(prepared).toHaveLength(1_001)
})
