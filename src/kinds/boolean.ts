import type { Kind } from './kind.ts'
import { asText } from './other-kind.ts'
import { jsonSql } from './sql.ts'
import { patternOrNull } from './text-patterns.ts'
import { usual } from './usual.ts'

const words = new Map([
  ['true', true],
  ['false', false],
])

/** `z.boolean()`. Booleans are bound as 0 and 1 on every store. */
export const boolean: Kind = Object.freeze({
  ...usual,
  readsZod: (zodType) => zodType === 'boolean',
  isStored: (value) => typeof value === 'boolean',
  bind: (value) => (value ? 1 : 0),
  sqlite: {
    type: 'INTEGER',
    param: (placeholder) => placeholder,
    json: (x) => jsonSql(`(CASE WHEN ${x} = 1 THEN 'true' WHEN ${x} IS NOT NULL THEN 'false' END)`),
    literal: (value) => (value ? '1' : '0'),
  },
  postgres: {
    type: 'boolean',
    param: (placeholder) => `${placeholder}::int::boolean`,
    json: (expression) => jsonSql(`${expression}::text`),
    literal: (value) => String(value),
  },
  comparedAs: 'boolean',
  isOrdered: false,
  fromOther: (value) => (value === 0 ? false : value === 1 ? true : words.get(asText(value))),
  parse: (text) => words.get(text),
  filterValueNoun: () => 'true or false',
  filterSchema: (_, { orNull }) => (orNull ? patternOrNull('(?:true|false)') : { type: 'boolean' }),
} satisfies Kind)
