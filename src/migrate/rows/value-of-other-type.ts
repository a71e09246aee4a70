import { firstFault, isValid } from '../../compile/schemas/validate.ts'
import type { JsonSchema } from '../../declare/json-schema.ts'
import { type FieldKind, kinds, typeName } from '../../kinds/kinds.ts'

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
  const other = sameForm(from, to.kind) ? value : kinds[to.kind].fromOther(value, from, to.schema)
  return other === undefined ? undefined : fitting(other, to)
}

/** The stored form of a value that is valid by the schema, as if a request had sent it; else undefined. */
export function fitting(value: unknown, { kind, schema }: Typed): unknown {
  const stored = kinds[kind].toStored(value, schema)
  return stored === undefined || !isValid(schema, stored) ? undefined : stored
}

/** Why a value is not fitting, in the words of a request's refusal. */
export function whyUnfit(value: unknown, { kind, schema }: Typed): string {
  const stored = kinds[kind].toStored(value, schema)
  const fault = firstFault(schema, stored === undefined ? value : stored)
  if (!fault) return `it is not of the type ${typeName(kind, schema)}`
  return `${fault.at === '' ? 'it' : fault.at.slice(1).replaceAll('/', '.')} ${fault.detail}`
}

/** Whether values of both kinds are stored alike. */
export const sameForm = (a: FieldKind, b: FieldKind): boolean =>
  a === b ||
  (kinds[a].comparedAs === kinds[b].comparedAs &&
    kinds[a].sqlite.type === kinds[b].sqlite.type &&
    kinds[a].postgres.type === kinds[b].postgres.type)
