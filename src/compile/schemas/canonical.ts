/** JSON text that is the same for equal values: keys sorted by code unit, no white space. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value)) ?? 'null'

/** The same data with the keys of every object sorted; `undefined` members are left out. */
export const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]),
  )
}

/** Equal data mostly have their keys in the same order, and then need not be sorted. */
export const sameJson = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a) === JSON.stringify(b) || canonicalJson(a) === canonicalJson(b)

/** Whether a value is an object of JSON: neither null nor an array. */
export const isJsonObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object of JSON whose members nobody changes. */
export type JsonObject = { readonly [key: string]: unknown }
