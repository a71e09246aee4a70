import type { JsonSchema } from '../declare/json-schema.ts'
import type { JsonText, Kind } from './kind.ts'
import { jsonOrNull, jsonSql, postgresText, quoted, sqliteText } from './sql.ts'
import { emailMaxLength } from './text-patterns.ts'
import { usual } from './usual.ts'

const uuidLength = 36

/** Texts that need no escaping between quotes. */
const isPlainText = (text: string): boolean => /^[\w .:-]*$/.test(text)

const hasPlainValues = ({ enum: values }: JsonSchema): boolean =>
  values?.every((value) => isPlainText(String(value))) ?? false

const escaped =
  (writeEscaped: (expression: string) => JsonText) =>
  (expression: string, schema: JsonSchema): JsonText =>
    hasPlainValues(schema) ? quoted(expression) : writeEscaped(expression)

/** `maxLength` counts characters (code points), which have at most four bytes in UTF-8. */
const bytesPerCharacter = 4

const mostTextBytes = ({ enum: values, format, maxLength }: JsonSchema): number => {
  if (values) return Math.max(0, ...values.map((value) => new TextEncoder().encode(String(value)).length))
  const longest = format === 'email' ? emailMaxLength : format === 'uuid' ? uuidLength : undefined
  return (
    bytesPerCharacter * Math.min(maxLength ?? Number.POSITIVE_INFINITY, longest ?? Number.POSITIVE_INFINITY)
  )
}

/** What kinds have in common whose values are any text, stored as it is. */
export const text = Object.freeze({
  ...usual,
  isStored: (value) => typeof value === 'string',
  bind: (value) => value as string,
  mostBytes: mostTextBytes,
  sqlite: { ...sqliteText, json: escaped((expression) => jsonOrNull(`json_quote(${expression})`)) },
  postgres: { ...postgresText, json: escaped((expression) => jsonSql(`to_json(${expression})::text`)) },
  comparedAs: 'text',
} satisfies Partial<Kind>)
