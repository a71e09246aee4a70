import type { Row } from './serving.ts'

/** Decimals are the only strings of digits with one digit after the point. */
const isDecimal = (value: unknown): boolean => typeof value === 'string' && /^-?\d+\.\d$/.test(value)

const rank = (value: unknown): string | number =>
  typeof value === 'boolean' || isDecimal(value) ? Number(value) : (value as string)

/** NULL first, texts by code point, decimals by value, false before true. */
export const compareValues = (a: unknown, b: unknown): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  const [left, right] = [rank(a), rank(b)]
  if (typeof left === 'number') return left - Number(right)
  return Buffer.compare(Buffer.from(left), Buffer.from(String(right)))
}

/** The order that `sort=…` asks for; the id breaks ties. */
export const inOrder = (sortBy: string) => (a: Row, b: Row) => {
  const keys = sortBy.split(',')
  for (const key of [...keys, keys.at(-1)?.startsWith('-') ? '-id' : 'id']) {
    const name = key.replace('-', '')
    const order = compareValues(a[name], b[name])
    if (order !== 0) return key.startsWith('-') ? -order : order
  }
  return 0
}
