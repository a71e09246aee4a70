import { hash } from 'node:crypto'
import type { IncludeNode, View, ViewRelation } from '../compile/model.ts'
import { nearest } from '../compile/nearest.ts'
import { plainCounted } from '../compile/plural.ts'
import { type ProblemType, problem } from '../problems.ts'
import { badQuery, sentence } from './parameters.ts'

const tagLength = 8

/** A relation to embed and what to embed below it. */
export interface Included {
  readonly relation: ViewRelation
  readonly children: readonly Included[]
}

export interface Include {
  readonly tree: readonly Included[]
  /** Sorted, parents added, no duplicates. */
  readonly paths: readonly string[]
  /** The paths in one text: the cache key, and the form of Content-Location. */
  readonly canonical: string
  /** What is embedded and the shapes of the embedded views, as a short hash for entity tags. */
  readonly tag: string
  /** The views that rows are embedded of. */
  readonly views: readonly View[]
  /** The scopes that decide what a caller is shown of the embedded rows. */
  readonly asks: readonly string[]
}

export const noInclude: Include = Object.freeze({
  tree: [],
  paths: [],
  canonical: '',
  tag: '',
  views: [],
  asks: [],
})

/** Reads `include=a,b.c`; judged in the order too many, too deep, unknown, not whitelisted. */
export function readInclude(value: string, view: View): Include {
  const asked = value.split(',')
  if (asked.some((path) => path.split('.').includes(''))) {
    throw badQuery([
      {
        parameter: 'include',
        detail: 'has an empty element; write relation paths separated by single commas',
        code: 'empty',
      },
    ])
  }
  const paths = withParents(asked)
  refuseTooMany(paths, view)
  refuseTooDeep(paths, view)
  for (const path of paths) refuseUnknown(path, view)
  for (const path of paths) refuseNotAllowed(path, view)
  const tree = treeOf(paths, '', view.include)
  const canonical = paths.join(',')
  const tag = hash('sha1', JSON.stringify(shapesIn(tree)), 'base64url').slice(0, tagLength)
  const views = viewsIn(tree)
  const asks = [...new Set(views.flatMap(({ resource }) => resource.asks))]
  return { tree, paths, canonical, tag, views, asks }
}

function withParents(asked: readonly string[]): readonly string[] {
  const all = new Set<string>()
  for (const path of asked) {
    for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) all.add(path.slice(0, dot))
    all.add(path)
  }
  return [...all].sort()
}

/** Each refusal of an include has its own problem type. All of them name the parameter in `errors`. */
function refused(
  type: ProblemType,
  detail: string,
  code: string,
  members: { readonly [name: string]: unknown },
): Error {
  const error = { parameter: 'include', detail, code }
  return problem(type, { detail: sentence(error), members, errors: [error] })
}

function refuseTooMany(paths: readonly string[], view: View): void {
  const limit = view.limits.includeRelations
  const count = paths.length
  if (count <= limit) return
  const detail = `names ${plainCounted(count, 'relation')}, counting parents; at most ${limit} are allowed in one call`
  throw refused('include-too-many', detail, 'too_many', { limit, count })
}

function refuseTooDeep(paths: readonly string[], view: View): void {
  const limit = view.limits.includeDepth
  const deep = paths.find((path) => path.split('.').length > limit)
  if (deep === undefined) return
  const count = Math.max(...paths.map((path) => path.split('.').length))
  const path = shown(deep)
  throw refused(
    'include-too-deep',
    `has more than ${plainCounted(limit, 'step')} in the path "${path}"`,
    'too_deep',
    {
      limit,
      count,
      path,
    },
  )
}

function refuseUnknown(path: string, view: View): void {
  let at: View = view
  for (const step of path.split('.')) {
    const relation = at.relations.get(step)
    if (!relation) throw unknown(path, step, at, view)
    at = relation.target()
  }
}

function unknown(path: string, step: string, at: View, view: View): Error {
  const meant = nearest(step, [...at.relations.keys()])
  const near = meant ?? nearest(path, view.includePaths)
  const detail = `names "${shown(step)}", which is not a relation of ${at.name}${near ? `. Did you mean "${near}"?` : ''}`
  return refused('include-unknown', detail, 'unknown', allowedMembers(path, view, near))
}

function refuseNotAllowed(path: string, view: View): void {
  if (view.includePaths.includes(path)) return
  const detail = `names the relation "${shown(path)}", which ${view.name} does not offer for inclusion`
  const near = nearest(path, view.includePaths)
  throw refused('include-not-allowed', detail, 'not_allowed', allowedMembers(path, view, near))
}

const allowedMembers = (path: string, view: View, near: string | null) => ({
  path: shown(path),
  allowed: view.includePaths,
  ...(near ? { suggestion: near } : {}),
})

function treeOf(
  paths: readonly string[],
  prefix: string,
  nodes: ReadonlyMap<string, IncludeNode>,
): readonly Included[] {
  const tree: Included[] = []
  for (const [name, node] of nodes) {
    const path = prefix + name
    if (paths.includes(path))
      tree.push({ relation: node.relation, children: treeOf(paths, `${path}.`, node.children) })
  }
  return tree
}

type Shapes = readonly (readonly [relation: string, shape: string, below: Shapes])[]

const shapesIn = (tree: readonly Included[]): Shapes =>
  tree.map(({ relation, children }) => [relation.name, relation.target().shape, shapesIn(children)])

const viewsIn = (tree: readonly Included[]): readonly View[] =>
  tree.flatMap(({ relation, children }) => [relation.target(), ...viewsIn(children)])

/** Known before any SQL runs: the page size times the caps. A to-one include adds one row to each row at most, and is not counted. */
function mostRows(rows: number, tree: readonly Included[]): number {
  return rows * tree.reduce((sum, { relation, children }) => sum + below(relation, children), 0)
}

const below = (relation: ViewRelation, children: readonly Included[]): number =>
  isToMany(relation) ? relation.cap + mostRows(relation.cap, children) : mostRows(1, children)

const isToMany = (relation: ViewRelation): boolean => relation.relation.kind === 'has-many'

export function refuseTooLarge(rows: number, tree: readonly Included[], ceiling: number): void {
  if (tree.length === 0) return
  const most = mostRows(rows, tree)
  if (most <= ceiling) return
  throw refused(
    'include-too-large',
    `could return ${plainCounted(most, 'row')} in this request; at most ${ceiling} are allowed in one`,
    'too_large',
    { limit: ceiling, count: most, arithmetic: `${rows} × (${terms(tree).join(' + ')}) = ${most}` },
  )
}

const terms = (tree: readonly Included[]): readonly string[] =>
  tree.flatMap(({ relation, children }) => {
    const inner = terms(children)
    if (!isToMany(relation)) return inner
    const own = `${relation.cap} ${relation.name}`
    return inner.length === 0 ? [own] : [`${own} × (1 + ${inner.join(' + ')})`]
  })

const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
