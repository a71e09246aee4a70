import type { Target } from '../call/target.ts'
import type { Model, SubCollection, Version, View } from '../compile/model.ts'
import { collectionPaths } from '../compile/names/collection-paths.ts'
import { underscored } from '../compile/names/name-rules.ts'
import { nearest } from '../compile/names/nearest.ts'
import { problem } from '../problems.ts'

interface Collection {
  readonly view: View
  readonly topLevel: boolean
  readonly subs: ReadonlyMap<string, Nested>
  readonly templates: Templates
}

interface Nested {
  readonly view: View
  readonly sub: SubCollection
  readonly templates: Templates
}

interface Templates {
  readonly all: string
  readonly one: string
}

const templatesOf = (path: string): Templates => ({ all: path, one: `${path}/{id}` })

/** Finds what a path names by one look-up per segment: there are no patterns and no order of rules. */
export interface Router {
  /** The target; null for a path that belongs to no resource. */
  find(path: string): Target | null
  /** The problem for a path that nothing answers, with the path that was probably meant. */
  missing(path: string): Error
  versionOf(path: string): Version | null
}

type Collections = ReadonlyMap<string, Collection>

export function createRouter(model: Model): Router {
  const byVersion = new Map(model.versions.map((version) => [version.name, collectionsOf(version)]))
  const versions = new Map(model.versions.map((version) => [version.name, version]))

  const find = (path: string): Target | null => {
    const segments = path.split('/')
    const named = versions.get(segments[1] ?? '')
    const version = named ?? model.unversioned
    if (!version) return null
    const at = named ? 2 : 1
    const collection = byVersion.get(version.name)?.get(segments[at] ?? '')
    if (!collection) return null
    return locate(collection, version, segments, at, !named)
  }

  return {
    find,
    versionOf: (path) => versions.get(path.split('/', 2)[1] ?? '') ?? null,
    missing: (path) => notFound(path, find, model, byVersion),
  }
}

function locate(
  collection: Collection,
  version: Version,
  segments: readonly string[],
  at: number,
  unversioned: boolean,
): Target | null {
  const first = segments[at + 1]
  const id = segments[at + 3]
  const rest = segments.length - at
  if (first === '') return null
  if (rest <= 2) {
    if (!collection.topLevel) return null
    const { view, templates } = collection
    // A row of totals has no id.
    if (view.totals && first !== undefined) return null
    const template = first === undefined ? templates.all : templates.one
    return { version, view, sub: null, ownerId: null, id: first ?? null, unversioned, template }
  }
  const nested = collection.subs.get(segments[at + 2] ?? '')
  if (!nested || rest > 4 || id === '') return null
  const { view, sub, templates } = nested
  const template = id === undefined ? templates.all : templates.one
  return { version, view, sub, ownerId: first ?? null, id: id ?? null, unversioned, template }
}

function collectionsOf(version: Version): Collections {
  const collections = new Map<string, Collection & { readonly subs: Map<string, Nested> }>()
  for (const view of version.views.values()) {
    const { name, topLevel } = view
    collections.set(name, { view, topLevel, subs: new Map(), templates: templatesOf(`/${name}`) })
  }
  for (const view of version.views.values()) {
    for (const sub of view.under) {
      const owner = sub.owner().name
      const templates = templatesOf(`/${owner}/{id}/${sub.segment}`)
      collections.get(owner)?.subs.set(sub.segment, { view, sub, templates })
    }
  }
  return collections
}

function notFound(
  path: string,
  find: Router['find'],
  model: Model,
  byVersion: ReadonlyMap<string, Collections>,
): Error {
  const version = path.split('/', 2)[1] ?? ''
  if (/^v\d+$/.test(version) && !byVersion.has(version)) {
    const versions = model.versions.map((one) => one.name)
    const detail = `There is no version ${version}. The versions are ${versions.join(', ')}.`
    return problem('not-found', { detail, members: { missing: 'version', versions } })
  }
  const right = rightPath(path, find, model, byVersion)
  const hint = right
    ? `Did you mean ${model.prefix}${right}?`
    : (rowNamedBy(path, model, byVersion) ?? placesOf(path, model, byVersion) ?? indexFor(version, model))
  return problem('not-found', {
    detail: `There is nothing at this path. ${hint}`,
    members: { missing: 'path' },
  })
}

const indexFor = (version: string, { versions, prefix }: Model): string =>
  versions.some(({ name }) => name === version)
    ? `GET ${prefix}/${version} lists its collections.`
    : `GET ${prefix}/ lists the versions.`

/** A path in parts: what comes before the first name, the collections of its version, and names and ids in turn. */
function partsOf(path: string, model: Model, byVersion: ReadonlyMap<string, Collections>) {
  const segments = withoutLastSlashes(path).slice(0, 300).split('/')
  const at = byVersion.has(segments[1] ?? '') ? 2 : 1
  const version = at === 2 ? segments[1] : model.unversioned?.name
  const collections: Collections = byVersion.get(version ?? '') ?? new Map()
  return { start: segments.slice(0, at).join('/'), collections, parts: segments.slice(at) }
}

/** For the name of a resource or of a has-many that is no path there, such as `/v2/items`: where its rows are. */
function placesOf(path: string, model: Model, byVersion: ReadonlyMap<string, Collections>): string | null {
  const { start, collections, parts } = partsOf(path, model, byVersion)
  const last = parts.length - (parts.length % 2 === 0 ? 2 : 1)
  const [word = '', id] = parts.slice(last)
  const byName = new Map(
    [...collections.values()].flatMap(({ view }) =>
      [view.name, ...view.under.map((sub) => sub.segment)].map((name) => [name, view] as const),
    ),
  )
  const view = byName.get(nearest(word, byName.keys()) ?? '')
  const places = view ? collectionPaths(view) : []
  if (!view || places.length === 0) return null
  // Totals have no rows with an id.
  const end = id === undefined || view.totals ? '' : `/${id}`
  return `Rows of ${view.name} are at ${places.map((place) => `${model.prefix}${start}${place}${end}`).join(' or ')}.`
}

/** For a to-one relation after an id, such as `/v2/orders/{id}/customer`: it is no collection, but shown with the row. */
function rowNamedBy(path: string, model: Model, byVersion: ReadonlyMap<string, Collections>): string | null {
  const { start, collections, parts } = partsOf(path, model, byVersion)
  const [name = '', id, step = ''] = parts
  const collection = collections.get(name)
  const to = collection?.view.relations.get(underscored(step))
  if (!collection?.topLevel || to?.relation.kind !== 'belongs-to') return null
  if (!collection.view.includePaths.includes(to.name) || parts.length > 4) return null
  return `${to.name} is one row: GET ${model.prefix}${start}/${name}/${id}?include=${to.name} shows it.`
}

/** Not by a regular expression, which would begin anew at every slash of a path that is full of them. */
function withoutLastSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** Tries the usual slips in turn: a trailing slash, capitals, no version, the name of another version, an unknown word. */
function rightPath(
  path: string,
  find: Router['find'],
  model: Model,
  byVersion: ReadonlyMap<string, Collections>,
): string | null {
  const trimmed = withoutLastSlashes(path).slice(0, 300)
  const lower = trimmed.toLowerCase()
  for (const candidate of [trimmed, lower, `/${model.head.name}${lower}`])
    if (find(candidate) || byVersion.has(candidate.slice(1))) return candidate
  const segments = lower.split('/')
  const at = byVersion.has(segments[1] ?? '') ? 2 : 1
  const collections = byVersion.get(segments[1] ?? '') ?? byVersion.get(model.unversioned?.name ?? '')
  const word = segments[at] ?? ''
  const collection = namedElsewhere(word, collections, byVersion) ?? nearest(word, collections?.keys() ?? [])
  if (!collection) return null
  segments[at] = collection
  const subs = [...(collections?.get(collection)?.subs.keys() ?? [])]
  const sub = nearest(segments[at + 2] ?? '', subs)
  if (sub) segments[at + 2] = sub
  const candidate = segments.join('/')
  return find(candidate) ? candidate : null
}

/** What this version calls a resource that has this name in another one. */
function namedElsewhere(
  word: string,
  here: Collections | undefined,
  byVersion: ReadonlyMap<string, Collections>,
): string | null {
  if (here?.has(word)) return null
  const resources = new Set(
    [...byVersion.values()].map((collections) => collections.get(word)?.view.resource),
  )
  return here?.values().find(({ view }) => resources.has(view.resource))?.view.name ?? null
}
