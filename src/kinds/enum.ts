import type { JsonSchema } from '../declare/json-schema.ts'
import type { Kind } from './kind.ts'
import { asText } from './other-kind.ts'
import { text } from './text.ts'

const listedValue = (text: string, schema: JsonSchema): unknown =>
  schema.enum?.find((one) => String(one) === text)

/** What enums and states have in common: texts that the schema lists. */
const listed = {
  ...text,
  listsValues: true,
  isOrdered: false,
  fromOther: (value, _, schema) => listedValue(asText(value), schema),
  parse: listedValue,
  filterValueNoun: (schema) => `one of ${schema.enum?.join(', ')}`,
  filterSchema: ({ enum: values = [] }, { orNull }) => {
    if (!orNull) return { type: 'string', enum: values }
    // The word itself, as a value, is written in quotes.
    const texts = values.map((value) => (value === 'null' ? '"null"' : String(value)))
    return { type: 'string', enum: [...texts, 'null'] }
  },
} satisfies Partial<Kind>

/** `z.enum([…])` and `z.literal('…')`. */
export const enumKind: Kind = Object.freeze({
  ...listed,
  readsZod: (zodType) => zodType === 'enum' || zodType === 'literal',
  canBeOpen: true,
} satisfies Kind)

/** `states(…)`: a text that changes by declared moves only. */
export const state: Kind = Object.freeze({
  ...listed,
  readsZod: null,
} satisfies Kind)
