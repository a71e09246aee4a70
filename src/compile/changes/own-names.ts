import type { MistakeList } from '../mistakes.ts'
import { type Draft, type DraftView, viewOfResource } from './view-draft.ts'

/** The last step: the draft gets the older version's own names as keys, which must not collide. */
export const withOwnNames = (draft: Draft, version: string, mistakes: MistakeList): Draft => {
  const named = new Map<string, DraftView>()
  for (const [key, view] of draft) {
    const taken = named.has(view.name)
    if (taken) collision(mistakes, version, `two resources are called "${view.name}"`)
    checkNames(view, version, mistakes)
    // A collision keeps both, so that all other mistakes can still be found.
    const name = taken ? `${key} (2)` : view.name
    named.set(name, {
      ...view,
      name,
      fields: byName(view.fields),
      relations: byName(view.relations),
      filters: new Set([...view.filters].flatMap((path) => filterInOlder(draft, view, path) ?? [])),
      sorts: new Set([...view.sorts].map((key) => view.fields.get(key)?.name ?? key)),
      searched: new Set([...view.searched].map((key) => view.fields.get(key)?.name ?? key)),
      includePaths: new Set(
        [...view.includePaths].map((path) => wayInOlder(draft, view, path.split('.')).names.join('.')),
      ),
      under: view.under.map((sub) => ({
        owner: sub.owner,
        relation: viewOfResource(draft, sub.owner)?.[1].relations.get(sub.relation)?.name ?? sub.relation,
      })),
    })
  }
  return named
}

const byName = <T extends { readonly name: string }>(all: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
  new Map([...all.values()].map((one) => [one.name, one]))

/** Fields and relations share one JSON object, so all their names must differ. */
const checkNames = (view: DraftView, version: string, mistakes: MistakeList): void => {
  const seen = new Set<string>()
  for (const { name } of [...view.fields.values(), ...view.relations.values()]) {
    if (seen.has(name))
      collision(mistakes, version, `two fields or relations of ${view.name} are called "${name}"`)
    seen.add(name)
  }
}

const collision = (mistakes: MistakeList, version: string, what: string): null =>
  mistakes.add(`${version}.changes`, `taken together, ${what}.`, 'Rename or remove one of the two.')

/** The names that relations of a path have in the older version, and where they lead; undefined where it does not have all of them. */
const wayInOlder = (draft: Draft, from: DraftView, path: readonly string[]) => {
  let view: DraftView | undefined = from
  const names = path.map((step) => {
    const relation = view?.relations.get(step)
    view = relation && viewOfResource(draft, relation.relation.target.name)?.[1]
    return relation?.name ?? step
  })
  return { names, view }
}

/** A path to a field; null where the older version does not have all of it. */
const filterInOlder = (draft: Draft, from: DraftView, path: string): string | null => {
  const relations = path.split('.')
  const last = relations.pop() ?? ''
  const { names, view } = wayInOlder(draft, from, relations)
  const field = view?.fields.get(last)
  return field ? [...names, field.name].join('.') : null
}
