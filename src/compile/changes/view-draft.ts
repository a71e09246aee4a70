import type { Version, View, ViewField, ViewRelation } from '../model.ts'

/**
 * A version's views as plain data, while an older version is computed from the newer one. Keys are still the
 * NEWER version's names while `name` already has the older name, so the order of changes does not matter.
 */
export type Draft = ReadonlyMap<string, DraftView>

export type DraftField = Omit<ViewField, 'target'>
export type DraftRelation = Omit<ViewRelation, 'target'>

type Linked =
  | 'version'
  | 'fields'
  | 'field'
  | 'shape'
  | 'relations'
  | 'includePaths'
  | 'include'
  | 'filters'
  | 'sorts'
  | 'under'

export interface DraftView extends Omit<View, Linked> {
  readonly fields: ReadonlyMap<string, DraftField>
  readonly relations: ReadonlyMap<string, DraftRelation>
  readonly includePaths: ReadonlySet<string>
  readonly filters: ReadonlySet<string>
  readonly sorts: ReadonlySet<string>
  readonly under: readonly DraftSub[]
}

export interface DraftSub {
  /** The owner's name in the store. */
  readonly owner: string
  /** The key of the has-many in the owner's draft. */
  readonly relation: string
}

export const draftOf = (version: Version): Draft => {
  const draft = new Map<string, DraftView>()
  for (const {
    version: _,
    fields,
    field: __,
    shape: ___,
    include: ____,
    ...view
  } of version.views.values()) {
    // The collection of events is made anew for each version, in its own words.
    if (view.serves === 'events') continue
    draft.set(view.name, {
      ...view,
      fields: new Map(fields.map(({ target: _____, ...field }) => [field.name, field])),
      relations: new Map(
        [...view.relations].map(([name, { target: _____, ...relation }]) => [name, relation]),
      ),
      includePaths: new Set(view.includePaths),
      under: view.under.map((sub) => ({ owner: sub.owner().resource.name, relation: sub.relation.name })),
    })
  }
  return draft
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

/** Puts fields where a consumer expects them: in place of `at`, or before the server's own times at the end. */
export const placeFields = (
  fields: ReadonlyMap<string, DraftField>,
  added: readonly (readonly [string, DraftField])[],
  replaced: ReadonlySet<string>,
): ReadonlyMap<string, DraftField> => {
  const all = [...fields]
  const firstReplaced = all.findIndex(([key]) => replaced.has(key))
  const firstTime = all.findIndex(([, field]) => field.field?.name === 'created_at')
  const at = firstReplaced >= 0 ? firstReplaced : firstTime >= 0 ? firstTime : all.length
  return new Map([...all.slice(0, at), ...added, ...all.slice(at)].filter(([key]) => !replaced.has(key)))
}

export const without = <T>(set: ReadonlySet<T>, gone: Iterable<T>): ReadonlySet<T> =>
  set.difference(new Set(gone))

/** The draft's view of a stored resource, and its key. */
export const viewOfResource = (draft: Draft, resource: string): readonly [string, DraftView] | null => {
  for (const entry of draft) if (entry[1].resource.name === resource) return entry
  return null
}
