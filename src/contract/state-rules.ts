import type { ContractRules } from '../compile/frozen.ts'
import type { BelongsToModel, Dependent, Resource, View } from '../compile/model.ts'

/** What may be done with a row in the state it is in, or the rows around it are in, told in the names of a version. */
export const stateRulesOf = (view: View): ContractRules => ({
  ...([...view.methods].some((method) => method !== 'GET') ? { only_while: onlyWhileOf(view) } : {}),
  ...(view.methods.has('DELETE') ? { delete: deleteRulesOf(view) } : {}),
})

const onlyWhileOf = (view: View): NonNullable<ContractRules['only_while']> =>
  Object.fromEntries(
    view.resource.onlyWhile.map(({ relation, field, values }) => {
      const name = relationIn(view, relation)?.name ?? relation.name
      return [
        `${name}.${shownField(view, relation.target, field)}`,
        shownValues(view, relation.target, field, values),
      ]
    }),
  )

const deleteRulesOf = (view: View): NonNullable<ContractRules['delete']> => {
  const { resource } = view
  return {
    only_while: Object.fromEntries(
      resource.deleteOnlyWhile.map(({ field, values }) => [
        shownField(view, resource, field),
        shownValues(view, resource, field, values),
      ]),
    ),
    refused_by: dependentsOf(view, 'refuse'),
    takes_along: dependentsOf(view, 'cascade'),
  }
}

/** Those that this version shows, by a relation that it shows. */
const dependentsOf = (view: View, onDelete: Dependent['onDelete']): string[] => {
  const names = view.resource.dependents.flatMap((one) => {
    const source = view.version.viewOf.get(one.relation.source.name)
    const shown = one.onDelete === onDelete && source && relationIn(source, one.relation)
    return shown ? [source.name] : []
  })
  return [...new Set(names)].sort()
}

const relationIn = (view: View, relation: BelongsToModel) =>
  view.relations.values().find((one) => one.relation === relation)

const fieldIn = (view: View, resource: Resource, field: string) =>
  view.version.viewOf.get(resource.name)?.fields.find((one) => one.field?.name === field)

const shownField = (view: View, resource: Resource, field: string): string =>
  fieldIn(view, resource, field)?.name ?? 'state'

const shownValues = (view: View, resource: Resource, field: string, values: readonly string[]): string[] => {
  const map = fieldIn(view, resource, field)?.values
  return [...new Set(values.map((value) => map?.down.get(value) ?? value))].sort()
}
