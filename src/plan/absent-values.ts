import type { ColumnOfField, CountedSum, Field, ViewField } from '../compile/model.ts'
import { type Dialect, ident } from './dialect.ts'

/**
 * A field that became required may have rows without a value, for as long as processes of an older declaration write some. Versions that
 * require it show what the declaration says of such rows; versions in which it is optional show that there is none.
 */

/** A field's column as the newest version has it: with a value where the field is required. */
export const column = (field: ColumnOfField, alias: string, dialect: Dialect): string => {
  const raw = rawColumn(field, alias)
  return field.mayLack ? `coalesce(${raw}, ${absentConstant(field, dialect)})` : raw
}

/** The same as a version has it, and whether it may be NULL there. */
export const columnIn = (
  { nullable }: Pick<ViewField, 'nullable'>,
  field: Field,
  alias: string,
  writing: CountWriting,
): { readonly sql: string; readonly nullable: boolean } =>
  field.mayLack && nullable
    ? { sql: rawColumn(field, alias), nullable: true }
    : { sql: shownColumn(field, alias, writing), nullable: field.nullable }

/** A column as it is read: a sum that is not kept is added up. */
export const shownColumn = (
  field: ColumnOfField & Pick<Field, 'counted'>,
  alias: string,
  writing: CountWriting,
): string =>
  field.counted ? countedSql(field.counted, alias, writing) : column(field, alias, writing.dialect)

/** What the SQL of a sum is written with. */
export interface CountWriting {
  readonly dialect: Dialect
  alias(): string
  account(shared: boolean, alias: string): string
}

/** The sum over the rows of one owner, whose table has the alias. */
export function countedSql({ source, feed }: CountedSum, alias: string, writing: CountWriting): string {
  const { dialect } = writing
  const part = writing.alias()
  const factors = feed.of.flatMap((name) => source.field.get(name) ?? [])
  const product = factors.map((factor) => column(factor, part, dialect)).join(' * ')
  const owner = alias === '' ? `${ident(feed.on.table)}.` : alias
  const reference = source.field.get(feed.by.field)?.column ?? feed.by.field
  const ofOwner = `${part}${ident(reference)} = ${owner}"id"`
  return `(SELECT coalesce(${dialect.exactSum(product)}, 0) FROM ${ident(source.table)} ${part.slice(0, -1)} WHERE ${writing.account(source.shared, part)}${ofOwner})`
}

const rawColumn = (field: ColumnOfField, alias: string): string => `${alias}${ident(field.column)}`

/** What stands for no value, as the store has it. */
export const absentConstant = ({ kind, stored, whenNone }: ColumnOfField, dialect: Dialect): string =>
  dialect.constant(stored?.up.get(String(whenNone)) ?? whenNone, kind)
