import type { JsonSchema } from '../declare/json-schema.ts'
import { boolean } from './boolean.ts'
import { date } from './date.ts'
import { datetime } from './datetime.ts'
import { decimalKind } from './decimal.ts'
import { enumKind, state } from './enum.ts'
import { id, reference } from './id.ts'
import { integer } from './integer.ts'
import { json } from './json.ts'
import type { Kind, StringFormat } from './kind.ts'
import { number } from './number.ts'
import { string } from './string.ts'

const table = {
  id,
  reference,
  enum: enumKind,
  state,
  boolean,
  integer,
  number,
  date,
  datetime,
  decimal: decimalKind,
  string,
  json,
}

export type FieldKind = keyof typeof table

/** Every field kind. The first that reads a Zod schema is the kind of the field, so special kinds stand before general ones. */
export const kinds: { readonly [K in FieldKind]: Kind } = Object.freeze(table)

const all = Object.entries(kinds) as [FieldKind, Kind][]

/** The kind of the field that a Zod schema declares, given Zod's name of its type and its JSON Schema. */
export const kindOfZod = (zodType: string, schema: JsonSchema): FieldKind => {
  const found = all.find(([, kind]) => kind.readsZod?.(zodType, schema))
  if (!found) throw new Error(`No kind reads z.${zodType}()`)
  return found[0]
}

/** The type of a field as people are shown it. */
export const typeName = (kind: FieldKind, schema: JsonSchema): string =>
  kinds[kind].typeName?.(schema) ?? kind

/** Every string format, by its name in JSON Schema. Other formats are refused when the API is compiled. */
export const stringFormats: { readonly [format: string]: StringFormat } = Object.freeze(
  Object.assign({}, ...all.map(([, kind]) => kind.formats)),
)
