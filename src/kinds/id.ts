import type { JsonSchema } from '../declare/json-schema.ts'
import type { Kind } from './kind.ts'
import { asText } from './other-kind.ts'
import { matches } from './pattern.ts'
import { postgresText, quoted, sqliteText } from './sql.ts'
import { text } from './text.ts'
import { anyFilterText, patternOrNull } from './text-patterns.ts'

const hex = '[0-9A-Fa-f]'
const anyUuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`

/** What ids and references have in common: texts that the server made, which need no escaping. */
const identifier = {
  ...text,
  mostBytes: null,
  readsZod: null,
  sqlite: { ...sqliteText, json: quoted },
  postgres: { ...postgresText, json: quoted },
  isOrdered: false,
} satisfies Partial<Kind>

/** The id of a row. */
export const id: Kind = Object.freeze({
  ...identifier,
  fromOther: asText,
  parse: (value) => value,
  filterValueNoun: () => 'a valid value',
  filterSchema: ({ format }, { inList }) => (format ? { type: 'string', format } : anyFilterText(inList)),
} satisfies Kind)

const idOf = (text: string, { pattern }: JsonSchema): string | undefined =>
  matches(pattern ?? `^${anyUuid}$`, text) ? text : undefined

/** The id of a related row. */
export const reference: Kind = Object.freeze({
  ...identifier,
  fromOther: (value, _, schema) => idOf(asText(value), schema),
  parse: idOf,
  filterValueNoun: () => 'an id',
  filterSchema: ({ format, pattern }, { orNull }) => {
    if (orNull) return patternOrNull(pattern?.replace(/^\^|\$$/g, '') ?? anyUuid)
    return { type: 'string', ...(format ? { format } : {}), ...(pattern ? { pattern } : {}) }
  },
} satisfies Kind)
