import type { Model, Resource } from '../../compile/model.ts'
import type { FormerType } from './table.ts'

/** What is to become of the names that a store has for a table. */
export interface Lineage {
  readonly table: string
  /** Its present name. */
  readonly was: string
  /** The wanted column → its present name. */
  readonly columns: ReadonlyMap<string, string>
  /** The wanted column → its present values → those that they become. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>
}

type StoredValues = NonNullable<Resource['fields'][number]['stored']>

/** With `tidy`, all that gives a store the declared names; else only the values that are to be joined. */
export function lineagesOf(declared: Model, bound: Model, tidy: boolean): readonly Lineage[] {
  const become = tidy ? declaredValues : ({ joins }: StoredValues) => joins
  return [...(tidy ? declared : bound).stored.values()].map((resource) => {
    const now = bound.stored.get(resource.name) ?? resource
    const fields = resource.fields.map((field) => ({ field, now: now.field.get(field.name) ?? field }))
    return {
      table: resource.table,
      was: now.table,
      columns: new Map(fields.map((one) => [one.field.column, one.now.column])),
      values: new Map(
        fields.flatMap((one) => (one.now.stored ? [[one.field.column, become(one.now.stored)]] : [])),
      ),
    }
  })
}

/** What only a newer declaration has keeps its name. */
const declaredValues = ({ up, joins }: StoredValues): ReadonlyMap<string, string> => {
  const values = new Map([...up].map(([declared, kept]) => [kept, declared]))
  for (const [gone, kept] of joins) values.set(gone, values.get(kept) ?? kept)
  return values
}

/** The columns whose type the newest of the older versions that shows it shows otherwise. */
export function formerTypes({ versions }: Model, resource: Resource): ReadonlyMap<string, FormerType> {
  const types = new Map<string, FormerType>()
  for (const version of versions.slice(1))
    for (const { field, codec } of version.viewOf.get(resource.name)?.fields ?? [])
      if (field && codec && !types.has(field.column))
        types.set(field.column, {
          codec,
          version: version.name,
          newer: version.successor?.name ?? version.name,
        })
  return types
}
