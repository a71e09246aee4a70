import type { Kind } from './kind.ts'
import { text } from './text.ts'

/** What enums and states have in common: texts that the schema lists. */
export const listed: Omit<Kind, 'readsZod' | 'canBeOpen' | 'typeName'> = {
  ...text,
  formats: {},
  listsValues: true,
  notQueryable: null,
  castableFrom: [],
  isOrdered: false,
  parse: (value, schema) => schema.enum?.find((one) => String(one) === value),
  filterValueNoun: (schema) => `one of ${schema.enum?.join(', ')}`,
  filterSchema: ({ enum: values = [] }, { orNull }) => {
    if (!orNull) return { type: 'string', enum: values }
    // The word itself, as a value, is written in quotes.
    const texts = values.map((value) => (value === 'null' ? '"null"' : String(value)))
    return { type: 'string', enum: [...texts, 'null'] }
  },
}

/** `z.enum([…])` and `z.literal('…')`. */
export const enumKind: Kind = Object.freeze({
  ...listed,
  readsZod: (zodType) => zodType === 'enum' || zodType === 'literal',
  canBeOpen: true,
  typeName: () => 'enum',
} satisfies Kind)
