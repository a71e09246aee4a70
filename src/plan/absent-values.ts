import type { Field, ViewField } from '../compile/model.ts'
import type { ValueMap } from '../compile/value-map.ts'
import { type Dialect, ident } from './dialect.ts'

/**
 * A field that became required may have rows without a value, for as long as processes of an older declaration write some. Versions that
 * require it show what the declaration says of such rows; versions in which it is optional show that there is none.
 */

type Columned = Pick<Field, 'column' | 'kind' | 'whenNone' | 'mayLack'> & { readonly stored: ValueMap | null }

/** A field's column as the newest version has it: with a value where the field is required. */
export const column = (field: Columned, alias: string, dialect: Dialect): string => {
  const raw = rawColumn(field, alias)
  return field.mayLack ? `coalesce(${raw}, ${absentConstant(field, dialect)})` : raw
}

/** The same as a version has it, and whether it may be NULL there. */
export const columnIn = (
  { nullable }: Pick<ViewField, 'nullable'>,
  field: Field,
  alias: string,
  dialect: Dialect,
): { readonly sql: string; readonly nullable: boolean } =>
  field.mayLack && nullable
    ? { sql: rawColumn(field, alias), nullable: true }
    : { sql: column(field, alias, dialect), nullable: field.nullable }

const rawColumn = (field: Columned, alias: string): string => `${alias}${ident(field.column)}`

/** What stands for no value, as the store has it. */
export const absentConstant = ({ kind, stored, whenNone }: Columned, dialect: Dialect): string =>
  dialect.constant(stored?.up.get(String(whenNone)) ?? whenNone, kind)
