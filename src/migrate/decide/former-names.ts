import type { Model } from '../../compile/model.ts'
import { underscored } from '../../compile/names/name-rules.ts'
import { formerFieldName } from '../../compile/resources/former-name.ts'
import { formerValuesOf } from '../../compile/resources/former-values.ts'
import type { ValuesNow } from '../../declare/field.ts'

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
