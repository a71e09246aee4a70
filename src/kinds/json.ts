import type { Kind } from './kind.ts'
import { jsonSql as jsonText, postgresText, sqliteText, sqlText } from './sql.ts'
import { usual } from './usual.ts'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Objects, arrays and whatever else Zod can describe: stored as the JSON that was sent. */
export const json: Kind = Object.freeze({
  ...usual,
  readsZod: () => true,
  notQueryable: 'is stored as JSON, which has no order and no equality in SQL',
  isStored: () => false,
  bind: (value) => JSON.stringify(value),
  mostBytes: () => Number.POSITIVE_INFINITY,
  mergesPatches: true,
  // Another program may have written JSON on several lines, and line breaks separate the rows of a list.
  sqlite: {
    ...sqliteText,
    json: (expression) =>
      jsonText(`replace(replace(replace(${expression}, '\n', ' '), '\r', ' '), '\t', ' ')`),
    literal: (value) => sqlText(JSON.stringify(value)),
  },
  postgres: {
    ...postgresText,
    type: 'json',
    // Without the step over text the driver would take the text for a value and quote it.
    param: (placeholder) => `${placeholder}::text::json`,
    json: (expression) => jsonText(`translate(${expression}::text, E'\\n\\r\\t', '   ')`),
    literal: (value) => sqlText(JSON.stringify(value)),
  },
  comparedAs: 'json',
  isOrdered: false,
  fromOther: (value) => (typeof value === 'string' ? parsed(value) : value),
  parse: () => undefined,
  filterValueNoun: () => 'a valid value',
  filterSchema: (schema) => schema,
  typeName: ({ type }) => type ?? 'any',
} satisfies Kind)
