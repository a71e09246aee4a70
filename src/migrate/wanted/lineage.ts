import type { Model, Resource } from '../../compile/model.ts'
import type { FormerType } from './table.ts'

/** What is to become of the names that a store has for a table. */
export interface Lineage {
  readonly table: string
  /** As the store has it now, where that is to change; else null. */
  readonly former: TableThen | null
}

export interface TableThen {
  readonly table: string
  /** The wanted column → its present name. */
  readonly columns: ReadonlyMap<string, string>
  /** The wanted column → its present values → those that they become. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Values that are to be joined, in the names of the store. */
export const joiningLineages = (bound: Model): readonly Lineage[] =>
  [...bound.stored.values()].map((resource) => ({
    table: resource.table,
    former: resource.fields.some(({ stored }) => stored && stored.joins.size > 0)
      ? {
          table: resource.table,
          columns: new Map(),
          values: new Map(
            resource.fields.flatMap(({ column, stored }) => (stored ? [[column, stored.joins]] : [])),
          ),
        }
      : null,
  }))

/** All that gives a store the declared names. */
export const tidyingLineages = (declared: Model, bound: Model): readonly Lineage[] =>
  [...declared.stored.values()].map((resource) => {
    const now = bound.stored.get(resource.name) ?? resource
    const fields = resource.fields.map((field) => ({ field, now: now.field.get(field.name) ?? field }))
    return {
      table: resource.table,
      former: {
        table: now.table,
        columns: new Map(fields.map((one) => [one.field.column, one.now.column])),
        values: new Map(
          fields.flatMap((one) =>
            one.now.stored ? [[one.field.column, declaredValues(one.now.stored)]] : [],
          ),
        ),
      },
    }
  })

/** What only a newer declaration has keeps its name. */
const declaredValues = ({ up, joins }: NonNullable<Resource['fields'][number]['stored']>) => {
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
