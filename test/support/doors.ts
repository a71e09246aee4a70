import type { Model, SubCollection, Version, View } from '../../src/compile/model.ts'
import { kinds } from '../../src/kinds/kinds.ts'
import { type OperatorName, operators } from '../../src/kinds/operators.ts'
import type { SecretRow } from './secret-rows.ts'

/** A request through which a row might show itself to a caller who may not see it. */
export interface Knock {
  readonly method: string
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: object
}

/** What the requests are made of. */
export interface House {
  readonly model: Model
  /** Every row there is. */
  readonly rows: readonly SecretRow[]
  /** Those that the caller may not see. */
  readonly hidden: readonly SecretRow[]
  /** An id that no row has. */
  readonly noId: string
  /** The ETag of a row, as a caller who sees every row gets it. */
  readonly etags: ReadonlyMap<string, string>
}

/** All requests of one sort; another sort of request, such as a stream of events, is another door. */
export type Door = (house: House) => Iterable<Knock>

const get = (path: string): Knock => ({ method: 'GET', path })
const viewsOf = (version: Version): readonly View[] => [...version.views.values()]
const everyView = ({ model }: House): readonly View[] => model.versions.flatMap(viewsOf)

const rowsOf = ({ rows }: House, view: View): readonly SecretRow[] =>
  rows.filter((row) => row.resource === view.resource.name)
const idsOf = (house: House, view: View): readonly string[] => [
  ...rowsOf(house, view).map(({ values }) => values.id),
  house.noId,
]
const hiddenIds = (house: House, view: View): readonly string[] => [
  ...house.hidden.filter((row) => row.resource === view.resource.name).map(({ values }) => values.id),
  house.noId,
]

/** Every path of a collection: its own, and the one below each owner. */
function* collections(house: House, view: View): Iterable<string> {
  const { name } = view.version
  if (view.topLevel) yield `/${name}/${view.name}`
  for (const sub of view.under)
    for (const id of idsOf(house, sub.owner())) yield `/${name}/${sub.owner().name}/${id}/${sub.segment}`
}

const includesOf = (view: View): readonly string[] => [
  ...view.includePaths,
  ...(view.includePaths.length > 1 ? [view.includePaths.join(',')] : []),
]

/** Every row by its id, plain and with every include, also where a cache asks whether it changed. */
const ones: Door = function* (house) {
  for (const view of everyView(house)) {
    if (!view.topLevel) continue
    for (const id of idsOf(house, view)) {
      const path = `/${view.version.name}/${view.name}/${id}`
      yield get(path)
      yield { method: 'HEAD', path }
      for (const include of includesOf(view)) yield get(`${path}?include=${include}`)
      const etag = house.etags.get(path)
      if (etag) yield { ...get(path), headers: { 'If-None-Match': etag } }
      yield { ...get(path), headers: { 'If-None-Match': '*' } }
    }
  }
}

/** Every collection, whole and page by page, in every order and with every include. */
const lists: Door = function* (house) {
  for (const view of everyView(house)) {
    for (const path of collections(house, view)) {
      yield get(path)
      yield get(`${path}?limit=1`)
      for (const include of includesOf(view)) yield get(`${path}?include=${include}&limit=2`)
      for (const sort of view.sorts) {
        yield get(`${path}?sort=${sort}&limit=2`)
        yield get(`${path}?sort=-${sort}&limit=2`)
      }
    }
  }
}

/** Every filter with every operator, by the values of every row. */
const filters: Door = function* (house) {
  for (const view of everyView(house)) {
    if (!view.topLevel) continue
    for (const name of view.filters) {
      const { steps = [], field } = view.filterOf.get(name) ?? {}
      if (!field?.field) continue
      const kind = kinds[field.field.kind]
      const stored = field.field.name
      const at = steps.at(-1)?.target() ?? view
      const values = new Set(rowsOf(house, at).map((row) => row.values[stored]))
      for (const operator of Object.keys(operators) as OperatorName[]) {
        if (!operators[operator].appliesTo(kind)) continue
        for (const value of values) {
          if (value === null && !operators[operator].takesNull) continue
          const shown = field.values?.down.get(String(value)) ?? String(value)
          const query = `filter[${name}][${operator}]=${encodeURIComponent(shown)}`
          yield get(`/${view.version.name}/${view.name}?${query}`)
          // The alternative finds no row.
          if (view.eitherOr && operator === 'ne') {
            const either = query.replace('filter', 'filter[or][0]')
            const other = `filter[or][1][${name}]=${encodeURIComponent(shown)}&filter[or][1][${name}][ne]=${encodeURIComponent(shown)}`
            yield get(`/${view.version.name}/${view.name}?${either}&${other}`)
          }
        }
      }
    }
  }
}

/** How many rows there are in every group, and their sums. */
const totals: Door = function* (house) {
  for (const view of everyView(house)) {
    if (!view.totals) continue
    const path = `/${view.version.name}/${view.name}`
    const groups = [...view.totals.by.keys()]
    yield get(path)
    for (const by of [...groups, groups.join()]) {
      yield get(`${path}?by=${by}`)
      yield get(`${path}?by=${by}&sort=-count&limit=1`)
    }
    for (const { name, field } of view.totals.of().fields)
      for (const row of view.filters.has(name) && field ? rowsOf(house, view.totals.of()) : [])
        yield get(`${path}?filter[${name}]=${encodeURIComponent(String(row.values[field?.name ?? '']))}`)
  }
}

/** Rows that exist below an owner, and below another one. */
const nestedOnes: Door = function* (house) {
  for (const view of everyView(house))
    for (const sub of view.under)
      for (const owner of idsOf(house, sub.owner()))
        for (const id of idsOf(house, view)) yield get(`${subPath(view, sub, owner)}/${id}`)
}

const subPath = (view: View, sub: SubCollection, owner: string): string =>
  `/${view.version.name}/${sub.owner().name}/${owner}/${sub.segment}`

/** Writes to hidden rows: with the right precondition, a wrong one and none. */
const writes: Door = function* (house) {
  for (const view of everyView(house)) {
    if (!view.topLevel) continue
    for (const id of hiddenIds(house, view)) {
      const path = `/${view.version.name}/${view.name}/${id}`
      const matches = ['*', '"999.aaaaaaaa"', house.etags.get(path)].flatMap((etag) => etag ?? [])
      for (const headers of [{}, ...matches.map((etag) => ({ 'If-Match': etag }))]) {
        if (view.methods.has('DELETE')) yield { method: 'DELETE', path, headers }
        if (view.methods.has('PATCH')) yield { method: 'PATCH', path, headers, body: {} }
        if (view.methods.has('PUT')) yield { method: 'PUT', path, headers, body: {} }
      }
    }
  }
}

/** New rows that refer to hidden rows: in the body, and through the path. */
const references: Door = function* (house) {
  for (const view of everyView(house)) {
    if (!view.methods.has('POST')) continue
    for (const field of view.fields) {
      const target = field.target?.()
      if (!target) continue
      for (const id of hiddenIds(house, target)) {
        const body = { ...bodyFor(house, view), [field.name]: id }
        if (view.topLevel) yield { method: 'POST', path: `/${view.version.name}/${view.name}`, body }
      }
    }
    for (const sub of view.under)
      for (const owner of hiddenIds(house, sub.owner()))
        yield { method: 'POST', path: subPath(view, sub, owner), body: {} }
  }
}

/** A body that lacks nothing but is refused all the same, so that no row is made: one reference names no row. */
const bodyFor = (house: House, view: View): { readonly [field: string]: unknown } =>
  Object.fromEntries(
    view.fields
      .filter(({ required }) => required)
      .map(({ name, target, field }) => [
        name,
        target ? house.noId : (rowsOf(house, view)[0]?.values[field?.name ?? ''] ?? null),
      ]),
  )

/** Paths that are not of rows: indexes, documents, pages. */
const documents: Door = function* ({ model }) {
  yield get('/')
  for (const { name } of model.versions) {
    yield get(`/${name}`)
    yield get(`/${name}/openapi.json`)
  }
}

export const doors: { readonly [name: string]: Door } = {
  ones,
  lists,
  filters,
  totals,
  nestedOnes,
  writes,
  references,
  documents,
}
