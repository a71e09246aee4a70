import type { JsonSchema } from '../declare/json-schema.ts'
import type { JsonText, Kind } from './kind.ts'
import { json, jsonOrNull, postgresText, quoted, sqliteText } from './sql.ts'

/** Texts that need no escaping between quotes. */
const isPlainText = (text: string): boolean => /^[\w .:-]*$/.test(text)

const hasPlainValues = ({ enum: values }: JsonSchema): boolean =>
  values?.every((value) => isPlainText(String(value))) ?? false

const escaped =
  (writeEscaped: (expression: string) => JsonText) =>
  (expression: string, schema: JsonSchema): JsonText =>
    hasPlainValues(schema) ? quoted(expression) : writeEscaped(expression)

/** What kinds have in common whose values are any text, stored as it is. */
export const text: Pick<
  Kind,
  | 'sum'
  | 'toStored'
  | 'isStored'
  | 'bind'
  | 'mergesPatches'
  | 'sqlite'
  | 'postgres'
  | 'finerThanStored'
  | 'bodyForm'
  | 'comparedAs'
  | 'atTime'
> = {
  sum: null,
  toStored: (value) => value,
  isStored: (value) => typeof value === 'string',
  bind: (value) => value as string,
  mergesPatches: false,
  sqlite: { ...sqliteText, json: escaped((expression) => jsonOrNull(`json_quote(${expression})`)) },
  postgres: { ...postgresText, json: escaped((expression) => json(`to_json(${expression})::text`)) },
  finerThanStored: () => null,
  bodyForm: 'text',
  comparedAs: 'text',
  atTime: null,
}
