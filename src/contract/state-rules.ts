import type { ContractRules, StateRules } from '../compile/contract-format.ts'
import type { BelongsToModel, Dependent, Resource, View, ViewField } from '../compile/model.ts'
import { reachedByDelete } from '../compile/resources/dependents.ts'
import { sorted } from '../compile/schemas/canonical.ts'

/** What the state of a row and of its related rows allows, in the names of a version. */
export const stateRulesOf = (view: View): ContractRules => ({
  ...([...view.methods].some((method) => method !== 'GET') ? { only_while: onlyWhileOf(view) } : {}),
  ...(view.methods.has('DELETE') ? { delete: deleteRulesOf(view) } : {}),
})

/** Leaves out rules about relations and fields that this version does not show. */
const onlyWhileOf = (view: View): StateRules =>
  byName(
    view.resource.onlyWhile.flatMap(({ relation, field, values }) => {
      const name = relationIn(view, relation)?.name
      const shown = fieldIn(view, relation.target, field)
      return name && shown ? [[`${name}.${shown.name}`, shownValues(shown, values)]] : []
    }),
  )

/** Rules are sorted by the version's own names, because the order of the head may change. */
const byName = (rules: readonly (readonly [string, readonly string[]])[]): StateRules =>
  sorted(Object.fromEntries(rules)) as StateRules

const deleteRulesOf = (view: View): NonNullable<ContractRules['delete']> => {
  const { resource } = view
  return {
    only_while: byName(
      resource.deleteOnlyWhile.flatMap(({ field, values }) => {
        const shown = fieldIn(view, resource, field)
        return shown ? [[shown.name, shownValues(shown, values)]] : []
      }),
    ),
    refused_by: dependentsOf(view, 'refuse'),
    takes_along: dependentsOf(view, 'cascade'),
  }
}

const dependentsOf = (view: View, onDelete: Dependent['onDelete']): string[] => {
  const names = reachedByDelete(view.resource).flatMap((one) => {
    const source = view.version.viewOf.get(one.relation.source.name)
    const relation = source && relationIn(source, one.relation)
    return relation && one.onDelete === onDelete ? [`${source.name}.${relation.name}`] : []
  })
  return names.sort()
}

const relationIn = (view: View, relation: BelongsToModel) =>
  view.relations.values().find((one) => one.relation === relation)

const fieldIn = (view: View, resource: Resource, field: string): ViewField | undefined =>
  view.version.viewOf.get(resource.name)?.fields.find((one) => one.field?.name === field)

/** The shown values of the allowed stored values. Several shown values may stand for one. */
const shownValues = ({ values: map }: ViewField, values: readonly string[]): string[] =>
  (map
    ? [...map.up].filter(([, stored]) => values.includes(stored)).map(([shown]) => shown)
    : [...values]
  ).sort()
