import type { SubCollection, View } from '../../compile/model.ts'
import type { ConsolePage, PageEntry } from '../console-page.ts'
import { noSuchPage } from '../console-refusal.ts'

/** A collection of the newest version, as a path leads to it: `orders`, or `orders/{id}/items`. */
export interface DataPlace {
  readonly view: View
  readonly sub: SubCollection | null
  /** The place in URLs of the console: `orders/ord_1/items`. */
  readonly segments: string
  /** The path in the API: `/v2/orders/ord_1/items`. */
  readonly path: string
  /** The id of the row that was asked for. */
  readonly id: string | null
}

type Verb = 'list' | 'row' | 'new' | 'edit' | 'delete'

/** A page for collections, or rows, wherever they are: as the resource's own, and below an owner. */
export const atPlaces = (verb: Verb, parts: Pick<ConsolePage, 'get' | 'post'>): readonly ConsolePage[] => {
  const row = verb === 'list' || verb === 'new' ? '' : '/{id}'
  const base = `/console/data/${verb}`
  return [`${base}/{resource}${row}`, `${base}/{owner}/{ownerId}/{segment}${row}`].map((path) => ({
    kind: 'page',
    path,
    ...parts,
  }))
}

/** What the path of a page means; a page that does not exist otherwise. */
export const dataPlaceOf = ({ parts, params }: PageEntry): DataPlace => {
  const { head } = parts.model
  const { resource, owner = '', ownerId = '', segment = '', id = null } = params
  const view = resource === undefined ? null : head.views.get(resource)
  if (view?.serves === 'rows' && view.topLevel) return place(view, null, [view.name], id, head.name)
  for (const one of head.views.values()) {
    const sub = one.under.find((under) => under.owner().name === owner && under.segment === segment)
    if (sub) return place(one, sub, [owner, ownerId, segment], id, head.name)
  }
  throw noSuchPage()
}

const place = (
  view: View,
  sub: SubCollection | null,
  segments: readonly string[],
  id: string | null,
  version: string,
): DataPlace => {
  const text = segments.map(encodeURIComponent).join('/')
  return { view, sub, segments: text, path: `/${version}/${text}`, id }
}

export const rowPathOf = ({ path, id }: DataPlace): string => `${path}/${encodeURIComponent(id ?? '')}`

/** The URL of a page about a collection, or about a row of it. */
export const dataUrl = (verb: Verb, { segments }: Pick<DataPlace, 'segments'>, id?: string): string =>
  `/console/data/${verb}/${segments}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`

/** The methods that are offered at a place. */
export const methodsAt = ({ view, sub }: DataPlace): ReadonlySet<string> => (sub ?? view).methods

/** The page of a row that something refers to; null where its rows are found below an owner alone. */
export const urlOfRow = (view: View, id: string): string | null =>
  view.serves === 'rows' && view.topLevel ? dataUrl('row', { segments: view.name }, id) : null
