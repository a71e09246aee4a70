import { createHash } from 'node:crypto'

/** PostgreSQL truncates longer names, and two that differ only after that would be the same. */
const longest = 63

/** The name of an index or constraint, from its table and columns: with other columns it has another name. */
export function objectName(
  table: string,
  columns: readonly string[],
  kind: 'idx' | 'key' | 'fkey' | 'check' | 'set',
): string {
  const name = `${table}__${columns.join('__')}__${kind}`
  if (name.length <= longest) return name
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 10)
  return `${name.slice(0, longest - digest.length - kind.length - 4)}__${digest}__${kind}`
}
