import type { BelongsToModel, Field, ValueMap, ViewField } from '../compile/model.ts'
import { sqlText } from '../kinds/sql.ts'

/**
 * A store keeps the names that it made tables, columns and values with, and a declaration may call them otherwise since. Statements use the
 * names of the store. Where a version shows what the store has, nothing is left of either mapping.
 */

/** The column of a reference. */
export const referenceColumn = ({
  source,
  field,
}: {
  readonly source: { readonly field: ReadonlyMap<string, { readonly column: string }> }
  readonly field: BelongsToModel['field']
}): string => source.field.get(field)?.column ?? field

type Map = ReadonlyMap<string, string>

/** What a version shows for each stored value; null where it shows all as they are stored. */
export function shownFor(
  { values }: Pick<ViewField, 'values'>,
  { stored }: Pick<Field, 'stored'>,
): Map | null {
  if (!stored) return values && withoutSame(values.down)
  const shown = [...stored.down].map(
    ([kept, declared]) => [kept, values?.down.get(declared) ?? declared] as const,
  )
  return withoutSame(new Map(shown))
}

const withoutSame = (map: Map): Map | null => {
  const differing = [...map].filter(([from, to]) => from !== to)
  return differing.length === 0 ? null : new Map(differing)
}

/** SQL that replaces some values of a column. */
export const replaced = (source: string, by: Map | null): string => {
  if (!by) return source
  const cases = [...by].map(([from, to]) => `WHEN ${sqlText(from)} THEN ${sqlText(to)}`)
  return `(CASE ${source} ${cases.join(' ')} ELSE ${source} END)`
}

/** SQL of a field's value as it is declared. */
export const declaredSql = (field: { readonly stored: ValueMap | null }, source: string): string =>
  replaced(source, field.stored && withoutSame(field.stored.down))

/** SQL of what compares with bound values: the column itself, unless several of its values stand for one of the declaration. */
export const comparableSql = ({ stored }: { readonly stored: ValueMap | null }, source: string): string => {
  const same = [...(stored?.down ?? [])].map(
    ([kept, declared]) => [kept, stored?.up.get(declared) ?? kept] as const,
  )
  return replaced(source, withoutSame(new Map(same)))
}
