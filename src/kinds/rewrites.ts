import type { JsonSchema } from '../declare/json-schema.ts'

interface Rewrite {
  readonly apply: (text: string) => string
  /** For documents. */
  readonly note: string
}

/** The ways in which a text can be rewritten before it is checked, stored and compared: `.trim()` and `.toLowerCase()` of Zod. */
export const rewrites: { readonly [name: string]: Rewrite } = {
  trim: { apply: (text) => text.trim(), note: 'White space around it is removed.' },
  'lower-case': { apply: (text) => text.toLowerCase(), note: 'It is stored in lower case.' },
}

/** The names of a schema's rewrites, in the order in which they are applied. */
export const rewritesOf = (schema: JsonSchema): readonly string[] => {
  const names = schema['x-rewrite']
  return Array.isArray(names) ? names.map(String) : []
}

/** A value as it is stored, if it is a text that is rewritten; else the value itself. */
export const rewritten = (schema: JsonSchema, value: unknown): unknown => {
  if (schema['x-rewrite'] === undefined || typeof value !== 'string') return value
  return rewritesOf(schema).reduce((text, name) => rewrites[name]?.apply(text) ?? text, value)
}
