import type { Resource, TotalsView, Version, View, ViewField, ViewRelation } from '../model.ts'

/**
 * The views of a version as plain data, while an older version is computed from the newer one (versions/versions.ts): views refer to each
 * other by name, and each kind of change gives a new draft.
 *
 * Until `withOwnNames` (own-names.ts) the keys are the NEWER version's names, and only `name` is the older one. So the changes of a list find what
 * they name, whatever their order. For example, `renameField('orders', 'sum', 'total')` leaves the field of `orders` under the key
 * `total` and sets its `name` to `sum`; `changeDefault('orders', 'total', …)` still finds it.
 */
export type Draft = ReadonlyMap<string, DraftView>

export type DraftField = Omit<ViewField, 'target'>
export type DraftRelation = Omit<ViewRelation, 'target' | 'join'>

/** What leads to other views, or is made from the rest, when a draft becomes a version (link-version.ts). */
type Linked =
  | 'version'
  | 'totals'
  | 'fields'
  | 'field'
  | 'relations'
  | 'filterOf'
  | 'includePaths'
  | 'include'
  | 'under'

export interface DraftView extends Omit<View, Linked> {
  readonly fields: ReadonlyMap<string, DraftField>
  readonly relations: ReadonlyMap<string, DraftRelation>
  readonly includePaths: ReadonlySet<string>
  readonly under: readonly DraftSub[]
  /** Set for totals: their fields and filters are made from those of the counted rows, once these are known. */
  readonly totals: DraftTotals | null
}

/** Everything by its name in the store's model, which is that of the head. */
export interface DraftTotals {
  /** A resource. */
  readonly of: string
  readonly by: readonly string[]
  readonly sums: readonly string[]
}

export interface DraftSub {
  /** The owner's name in the store. */
  readonly owner: string
  /** The key of the has-many in the owner's draft. */
  readonly relation: string
}

/** All views of a version but the collections of events and audit entries, which are made anew for each version, in its own words. */
export const draftOf = ({ views }: Version): Draft => {
  const declared = [...views.values()].filter(({ serves }) => serves !== 'events' && serves !== 'audit')
  return new Map(declared.map((view) => [view.name, draftView(view)]))
}

const draftView = ({ version, field, include, filterOf, totals, ...view }: View): DraftView => ({
  ...view,
  ...(totals ? draftedTotals(totals) : { totals: null }),
  // What was published decides for each version by itself.
  eitherOr: view.resource.answered === null,
  fields: new Map(totals ? [] : view.fields.map(({ target, ...one }) => [one.name, one])),
  relations: new Map([...view.relations].map(([name, { target, join, ...one }]) => [name, one])),
  includePaths: new Set(view.includePaths),
  under: view.under.map(({ owner, relation }) => ({ owner: owner().resource.name, relation: relation.name })),
})

const draftedTotals = ({ of, by, sums }: TotalsView): Pick<DraftView, 'totals' | 'filters' | 'sorts'> => {
  const stored = (fields: TotalsView['by']) => [...fields.values()].flatMap(({ field }) => field?.name ?? [])
  return {
    totals: { of: of().resource.name, by: stored(by), sums: stored(sums) },
    filters: new Set(),
    sorts: new Set(),
  }
}

export const withView = (draft: Draft, key: string, change: (view: DraftView) => DraftView): Draft => {
  const view = draft.get(key)
  return view ? new Map(draft).set(key, change(view)) : draft
}

export const withField = (view: DraftView, key: string, change: Partial<DraftField>): DraftView => {
  const field = view.fields.get(key)
  return field ? { ...view, fields: new Map(view.fields).set(key, { ...field, ...change }) } : view
}

export const withRelation = (view: DraftView, key: string, change: Partial<DraftRelation>): DraftView => {
  const relation = view.relations.get(key)
  return relation
    ? { ...view, relations: new Map(view.relations).set(key, { ...relation, ...change }) }
    : view
}

/** Puts fields where a consumer expects them: where the first replaced one is, else before the server's own times, else at the end. */
export const placeFields = (
  fields: ReadonlyMap<string, DraftField>,
  added: readonly (readonly [string, DraftField])[],
  replaced: ReadonlySet<string>,
): ReadonlyMap<string, DraftField> => {
  const all = [...fields]
  const places = [
    all.findIndex(([key]) => replaced.has(key)),
    all.findIndex(([, field]) => field.field?.name === 'created_at'),
  ]
  const at = places.find((place) => place >= 0) ?? all.length
  return new Map([...all.slice(0, at), ...added, ...all.slice(at)].filter(([key]) => !replaced.has(key)))
}

/** The resource whose rows make a many-to-many; null for other relations. */
export const joinOf = ({ relation }: DraftRelation): Resource | null =>
  relation.kind === 'has-many' ? (relation.through?.source ?? null) : null

export const without = <T>(set: ReadonlySet<T>, gone: Iterable<T>): ReadonlySet<T> =>
  set.difference(new Set(gone))

/** The draft's view of a stored resource, and its key. */
export const viewOfResource = (draft: Draft, resource: string): readonly [string, DraftView] | null => {
  for (const entry of draft) if (entry[1].resource.name === resource) return entry
  return null
}
