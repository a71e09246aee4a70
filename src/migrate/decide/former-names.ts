import type { Model } from '../../compile/model.ts'
import { underscored } from '../../compile/names/name-rules.ts'
import { formerFieldName } from '../../compile/resources/former-name.ts'
import { formerValuesOf } from '../../compile/resources/former-values.ts'
import type { ValuesNow } from '../../declare/field.ts'
import { declaredMoves, type Move } from '../plan/renames.ts'
import type { PresentTable } from '../present.ts'
import { countSet, type Reading } from '../rows/scan.ts'

/**
 * The renames of columns that a declaration says and that the table does not show yet. Where it has both names, as after a start without `was`, the
 * new column gets the values of the old one if it has none of its own.
 */
export async function declaredColumnMoves(
  reading: Reading,
  former: FormerNames,
  { table, names }: { readonly table: string; readonly names: ReadonlySet<string> },
  found: PresentTable,
): Promise<readonly Move[]> {
  const formerOf = (name: string) => former.columns.get(`${table}.${name}`)
  const moves = [...declaredMoves(names, formerOf, found.columns.keys())]
  for (const name of names) {
    const was = formerOf(name)
    const isTaken = moves.some(({ from, to }) => to === name || from === name || from === was)
    if (was === undefined || isTaken || names.has(was)) continue
    if (!found.columns.has(was) || !found.columns.has(name)) continue
    if ((await countSet(reading, found.name, name, true)) === 0) moves.push({ from: was, to: name })
  }
  return moves
}

/** The names that a declaration says its resources, fields and relations had before: `was`. And values: `became`. */
export interface FormerNames {
  /** Table → its former name. */
  readonly tables: ReadonlyMap<string, string>
  /** `orders.customer_id` → the column's former name. */
  readonly columns: ReadonlyMap<string, string>
  /** `orders.status` → what became of values that are gone. */
  readonly values: ReadonlyMap<string, ValuesNow>
}

export function formerNamesOf(model: Model): FormerNames {
  const tables = new Map<string, string>()
  const columns = new Map<string, string>()
  const values = new Map<string, ValuesNow>()
  for (const { name, was, fields = {}, relations = {} } of model.declaration.resources) {
    const table = underscored(name)
    if (was !== undefined) tables.set(table, underscored(was))
    for (const [field, declared] of Object.entries(fields)) {
      const former = formerFieldName(declared)
      if (former !== undefined) columns.set(`${table}.${field}`, former)
      const became = formerValuesOf(declared)
      if (became !== undefined) values.set(`${table}.${field}`, became)
    }
    for (const [relation, declared] of Object.entries(relations))
      if (declared.kind === 'belongs-to' && declared.was !== undefined)
        columns.set(`${table}.${relation}_id`, `${declared.was}_id`)
  }
  return { tables, columns, values }
}
