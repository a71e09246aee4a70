import type { Method } from '../../declare/resource.ts'
import type { IncludeNode, SubCollection, Version, View, ViewField, ViewRelation } from '../model.ts'
import { hyphenated } from '../names/name-rules.ts'
import { listMember } from '../resources/bulk.ts'
import { eitherOrName } from '../resources/either-or-limits.ts'
import type { Mutable } from '../resources/resource-draft.ts'
import { auditView } from '../versions/audit-view.ts'
import { eventsView } from '../versions/events-view.ts'
import { completeTotals } from '../versions/totals-view.ts'
import { filterTargets } from './filter-targets.ts'
import { type Draft, type DraftView, joinOf, viewOfResource } from './view-draft.ts'

type About = Omit<Version, 'views' | 'viewOf'>

/** Makes the version's views from the final draft: names become references to views. */
export const linkVersion = (about: About, draft: Draft): Version => {
  const views = new Map<string, View>()
  const viewOf = new Map<string, View>()
  const version: Version = { ...about, views, viewOf }
  const viewNamed = (resource: string): View => {
    const view = viewOf.get(resource)
    if (!view) throw new Error(`${version.name} has no view of ${resource}`)
    return view
  }
  for (const one of draft.values()) {
    // Where the version does not have the rows, there is nothing to count.
    if (one.totals && !viewOfResource(draft, one.totals.of)) continue
    const view = linkView(one, version, viewNamed, (resource) => viewOfResource(draft, resource) !== null)
    views.set(view.name, view)
    viewOf.set(view.resource.name, view)
  }
  const all = [...views.values()] as Unfinished[]
  for (const view of all) if (view.serves === 'rows') completeView(view, draft.get(view.name), viewNamed)
  for (const view of all) {
    const totals = draft.get(view.name)?.totals
    if (totals) completeTotals(view, totals, viewNamed(totals.of))
  }
  for (const own of [eventsView(version), auditView(version)]) {
    if (!own) continue
    const view = linkView(own, version, viewNamed, () => false)
    completeView(view, own, viewNamed)
    views.set(own.name, view)
    viewOf.set(own.name, view)
  }
  return Object.freeze(version)
}

/** A view before all views of its version exist: sub-collections and include trees need the others. */
type Unfinished = Mutable<View>

const linkView = (
  { under: _, ...draft }: DraftView,
  version: Version,
  viewNamed: (resource: string) => View,
  isSeen: (resource: string) => boolean,
): Unfinished => {
  const fields: ViewField[] = [...draft.fields.values()].map((field) => {
    const target = field.field?.relation?.target.name
    const seen = target !== undefined && isSeen(target)
    return Object.freeze({ ...field, target: seen ? () => viewNamed(target) : null })
  })
  const relations = [...draft.relations.values()].map((relation): ViewRelation => {
    const { name } = relation.relation.target
    const join = joinOf(relation)
    return Object.freeze({
      ...relation,
      target: () => viewNamed(name),
      join: join && (() => viewNamed(join.name)),
    })
  })
  return {
    ...draft,
    // A list is known by its member `data`, so a version that has a field of that name takes none.
    bulk: draft.bulk && fields.every(({ name }) => name !== listMember),
    version,
    fields,
    field: new Map(fields.map((field) => [field.name, field])),
    relations: new Map(relations.map((relation) => [relation.name, relation])),
    filterOf: new Map(),
    totals: null,
    includePaths: [...draft.includePaths].sort(),
    include: new Map(),
    under: [],
  }
}

const completeView = (
  view: Unfinished,
  draft: DraftView | undefined,
  viewNamed: (resource: string) => View,
): void => {
  view.filterOf = filterTargets(view, view.filters)
  view.filters = new Set(view.filterOf.keys())
  // In an older version a field may have this name. Then it means the field.
  view.eitherOr &&= view.filters.size > 0 && !view.filters.has(eitherOrName)
  view.include = includeTree(view, view.includePaths)
  view.under = (draft?.under ?? []).flatMap(({ owner, relation: name }): SubCollection[] => {
    const relation = viewNamed(owner).relations.get(name)
    if (relation?.relation.kind !== 'has-many') return []
    const { by, through } = relation.relation
    return [
      {
        segment: hyphenated(name),
        owner: () => viewNamed(owner),
        relation,
        by: through ? null : by,
        // Links are made and ended as rows of the join.
        methods: through ? view.methods.intersection(new Set<Method>(['GET'])) : view.methods,
      },
    ]
  })
  Object.freeze(view)
}

/** Paths as a tree, in the names of the view; a path whose relation the view does not have is left out. */
const includeTree = (view: View, paths: readonly string[]): ReadonlyMap<string, IncludeNode> => {
  const tree = new Map<string, IncludeNode>()
  for (const name of new Set(paths.map((path) => path.split('.', 1)[0] ?? ''))) {
    const relation = view.relations.get(name)
    if (relation === undefined) continue
    const below = paths
      .filter((path) => path.startsWith(`${name}.`))
      .map((path) => path.slice(name.length + 1))
    tree.set(name, {
      relation,
      children: below.length === 0 ? new Map() : includeTree(relation.target(), below),
    })
  }
  return tree
}
