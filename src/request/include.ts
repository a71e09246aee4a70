import { hash } from 'node:crypto'
import type { IncludeNode, View, ViewRelation } from '../compile/model.ts'
import { nearest } from '../compile/nearest.ts'
import { problem } from '../problems.ts'
import { badQuery } from './parameters.ts'

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
  /** The paths in a few characters, for entity tags. */
  readonly tag: string
  /** The views that rows are embedded of. */
  readonly views: readonly View[]
}

export const noInclude: Include = Object.freeze({ tree: [], paths: [], canonical: '', tag: '', views: [] })

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
  const tag = hash('sha1', canonical, 'base64url').slice(0, tagLength)
  return { tree, paths, canonical, tag, views: viewsIn(tree) }
}

function withParents(asked: readonly string[]): readonly string[] {
  const all = new Set<string>()
  for (const path of asked) {
    for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) all.add(path.slice(0, dot))
    all.add(path)
  }
  return [...all].sort()
}

function refuseTooMany(paths: readonly string[], view: View): void {
  const limit = view.limits.includeRelations
  if (paths.length <= limit) return
  throw problem('include-too-many', {
    detail: `include names ${paths.length} relations, counting parents; at most ${limit} are allowed in one call.`,
    members: { limit, count: paths.length },
  })
}

function refuseTooDeep(paths: readonly string[], view: View): void {
  const limit = view.limits.includeDepth
  const deep = paths.find((path) => path.split('.').length > limit)
  if (deep === undefined) return
  const depth = Math.max(...paths.map((path) => path.split('.').length))
  throw problem('include-too-deep', {
    detail: `include path "${shown(deep)}" has more than ${limit} steps.`,
    members: { limit, count: depth, path: shown(deep) },
  })
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
  return problem('include-unknown', {
    detail: `"${shown(step)}" is not a relation of ${at.name}.${near ? ` Did you mean "${near}"?` : ''}`,
    members: { path: shown(path), allowed: view.includePaths, ...(near ? { suggestion: near } : {}) },
  })
}

function refuseNotAllowed(path: string, view: View): void {
  if (view.includePaths.includes(path)) return
  const near = nearest(path, view.includePaths)
  throw problem('include-not-allowed', {
    detail: `"${shown(path)}" is a relation, but ${view.name} does not offer it for inclusion.`,
    members: { path: shown(path), allowed: view.includePaths, ...(near ? { suggestion: near } : {}) },
  })
}

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

const viewsIn = (tree: readonly Included[]): readonly View[] =>
  tree.flatMap(({ relation, children }) => [relation.target(), ...viewsIn(children)])

/** Known before any SQL runs: the page size times the caps. A to-one rides along with its row, so it adds nothing here. */
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
  throw problem('include-too-large', {
    detail: `The includes of this request could return ${most} rows; at most ${ceiling} are allowed in one.`,
    members: { limit: ceiling, count: most, arithmetic: `${rows} × (${terms(tree).join(' + ')}) = ${most}` },
  })
}

const terms = (tree: readonly Included[]): readonly string[] =>
  tree.flatMap(({ relation, children }) => {
    const inner = terms(children)
    if (!isToMany(relation)) return inner
    const own = `${relation.cap} ${relation.name}`
    return inner.length === 0 ? [own] : [`${own} × (1 + ${inner.join(' + ')})`]
  })

const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
