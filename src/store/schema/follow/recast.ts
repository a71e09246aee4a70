import type { JsonSchema } from '../../../declare/json-schema.ts'
import { type FieldKind, kinds } from '../../../kinds/kinds.ts'
import { validate } from '../../../request/validate.ts'

/** A kind with the schema of its values. */
export interface Typed {
  readonly kind: FieldKind
  readonly schema: JsonSchema
}

/**
 * A value as one of another kind, in its stored form; undefined where that would change what it means, or where the schema does not
 * allow it. `value` is what JSON shows of the stored value, and is not null.
 */
export function recast(value: unknown, from: FieldKind, to: Typed): unknown {
  const other = sameForm(from, to.kind) ? value : otherKind(value, from, to)
  return other === undefined ? undefined : fitting(other, to)
}

/** The stored form of a value that is valid by the schema, as if a request had sent it; else undefined. */
export function fitting(value: unknown, { kind, schema }: Typed): unknown {
  const stored = kinds[kind].toStored(value, schema)
  return stored === undefined || validate(schema, stored).length > 0 ? undefined : stored
}

/** Whether values of both kinds are stored alike. */
export const sameForm = (a: FieldKind, b: FieldKind): boolean =>
  a === b ||
  (kinds[a].comparedAs === kinds[b].comparedAs &&
    kinds[a].sqlite.type === kinds[b].sqlite.type &&
    kinds[a].postgres.type === kinds[b].postgres.type)

function otherKind(value: unknown, from: FieldKind, { kind, schema }: Typed): unknown {
  switch (kind) {
    case 'string':
      return textOf(value)
    case 'json':
      return typeof value === 'string' ? parsedJson(value) : value
    case 'boolean':
      return value === 0 ? false : value === 1 ? true : kinds.boolean.parse(textOf(value), schema)
    case 'integer':
    case 'number':
      if (typeof value === 'boolean') return value ? 1 : 0
      return kinds[kind].parse(from === 'decimal' ? withoutZeros(textOf(value)) : textOf(value), schema)
    case 'datetime':
      // A date is the first moment of its day, in UTC.
      return from === 'date' ? `${value}T00:00:00.000Z` : kinds.datetime.parse(textOf(value), schema)
    default:
      return kinds[kind].parse(textOf(value), schema)
  }
}

/** Undefined for a text that is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** `5.00` → `5` */
const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)
