/** What JSON shows of a value, as a text. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A number of another kind as a text that a number can be read from: `5.00` → `5` of decimals, and 1 for true. */
export function numberText(value: unknown, from: string): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  const text = asText(value)
  return from === 'decimal' && text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
