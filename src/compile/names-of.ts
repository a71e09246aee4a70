import { kinds } from '../kinds/kinds.ts'
import type { Model, View, ViewField } from './model.ts'
import type { NamedColumn, NamedTable, StoredNames } from './stored-names.ts'

/** What every version of a model that is bound to a store calls the tables, columns and values of the store. */
export const namesOf = ({ versions }: Model): StoredNames =>
  Object.fromEntries(
    versions.map(({ name, views }) => {
      const own = [...views.values()].filter(
        ({ serves, resource }) => serves === 'rows' && !resource.engineMade && !resource.answered,
      )
      return [name, Object.fromEntries(own.map((view) => [view.name, namedTable(view)]))]
    }),
  )

const namedTable = ({ resource, fields }: View): NamedTable => ({
  table: resource.table,
  fields: Object.fromEntries(
    fields.flatMap((shown) => (shown.field ? [[shown.name, namedColumn(shown, shown.field)]] : [])),
  ),
})

function namedColumn(shown: ViewField, field: NonNullable<ViewField['field']>): NamedColumn {
  const { column, stored } = field
  const { values, codec } = shown
  if (codec) return { column, codec }
  if (!kinds[field.kind].listsValues || !(stored || values)) return { column }
  const declared = (field.schema.enum ?? []).map(String)
  const written = [...new Set([...(values ? values.up.keys() : declared)])]
  const up = written.map((value) => {
    const means = values?.up.get(value) ?? value
    return [value, stored?.up.get(means) ?? means]
  })
  const down = [...(stored?.down.entries() ?? declared.map((value) => [value, value] as const))]
  const shows = down.map(([kept, means]) => [kept, values?.down.get(means) ?? means])
  const differ = ([from, to]: readonly (string | undefined)[]) => from !== to
  return {
    column,
    ...(up.some(differ) && { up: Object.fromEntries(up) }),
    ...(shows.some(differ) && { down: Object.fromEntries(shows) }),
  }
}

/** The record with what a model knows: versions that it does not have keep what they are known by. */
export function grownNames(before: StoredNames, now: StoredNames): StoredNames {
  const versions: { [version: string]: { [resource: string]: NamedTable } } = {}
  for (const version of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const resources: { [resource: string]: NamedTable } = { ...before[version] }
    for (const [name, { table, fields }] of Object.entries(now[version] ?? {})) {
      const known = resources[name]
      resources[name] = { table, fields: { ...(known?.table === table && known.fields), ...fields } }
    }
    versions[version] = resources
  }
  return versions
}
