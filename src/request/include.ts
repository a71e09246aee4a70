import { hash } from 'node:crypto'
import { type Include, type Included, viewsIn } from '../call/included.ts'
import { wholeShapeOf } from '../call/view-shape.ts'
import type { IncludeNode, View, ViewRelation } from '../compile/model.ts'
import { plainCounted } from '../compile/names/plural.ts'
import type { Disclosure } from './disclosure.ts'
import { type IncludeRefusal, includeRefusal, judgePaths, tooMany } from './include-refusals.ts'

const tagLength = 8

/** Reads `include=a,b.c`; null when it is refused, with the reasons in `refusals`. */
export function readInclude(
  value: string,
  view: View,
  disclosure: Disclosure,
  refusals: IncludeRefusal[],
): Include | null {
  const asked = value.split(',')
  if (asked.some((path) => path.split('.').includes(''))) {
    const detail = 'has an empty element; write relation paths separated by single commas'
    refusals.push(includeRefusal('bad-query', detail, 'empty', {}))
    return null
  }
  const excess = tooMany(relationsIn(asked), view)
  if (excess) {
    refusals.push(excess)
    return null
  }
  const paths = withParents(asked)
  const wrong = judgePaths(paths, view, disclosure)
  refusals.push(...wrong)
  if (wrong.length > 0) return null
  const tree = treeOf(paths, '', view.include)
  const canonical = paths.join(',')
  const tag = hash('sha1', JSON.stringify(shapesIn(tree)), 'base64url').slice(0, tagLength)
  const views = viewsIn(tree)
  const asks = [...new Set(views.flatMap(({ resource }) => resource.asks))]
  return { tree, paths, canonical, tag, views, asks }
}

interface Steps extends Map<string, Steps> {}

/** How many relations the paths name, parents included. A path of thousands of steps has as many parents, so that they are counted step by step. */
function relationsIn(asked: readonly string[]): number {
  const root: Steps = new Map()
  let count = 0
  for (const path of asked) {
    let at = root
    for (const step of path.split('.')) {
      let below = at.get(step)
      if (!below) {
        count++
        below = new Map()
        at.set(step, below)
      }
      at = below
    }
  }
  return count
}

function withParents(asked: readonly string[]): readonly string[] {
  const all = new Set<string>()
  for (const path of asked) {
    for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) all.add(path.slice(0, dot))
    all.add(path)
  }
  return [...all].sort()
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

type Shapes = readonly (readonly [relation: string, shape: string, below: Shapes])[]

const shapesIn = (tree: readonly Included[]): Shapes =>
  tree.map(({ relation, children }) => [relation.name, wholeShapeOf(relation.target()), shapesIn(children)])

/** Known before any SQL runs: the page size times the rows that each row can bring along, at most the cap of a list or one of a to-one. */
function mostRows(rows: number, tree: readonly Included[]): number {
  return (
    rows *
    tree.reduce((sum, { relation, children }) => sum + mostOf(relation) * (1 + mostRows(1, children)), 0)
  )
}

const mostOf = ({ relation, cap }: ViewRelation): number => (relation.kind === 'has-many' ? cap : 1)

/** The refusal of an include that could return more rows than one request may; null where it could not. */
export function tooLarge(rows: number, tree: readonly Included[], ceiling: number): IncludeRefusal | null {
  if (tree.length === 0) return null
  const most = mostRows(rows, tree)
  if (most <= ceiling) return null
  return includeRefusal(
    'include-too-large',
    `could return ${plainCounted(most, 'row')} in this request; at most ${ceiling} are allowed in one`,
    'too_large',
    { limit: ceiling, count: most, arithmetic: `${rows} × (${terms(tree).join(' + ')}) = ${most}` },
  )
}

const terms = (tree: readonly Included[]): readonly string[] =>
  tree.map(({ relation, children }) => {
    const inner = terms(children)
    const own = `${mostOf(relation)} ${relation.name}`
    return inner.length === 0 ? own : `${own} × (1 + ${inner.join(' + ')})`
  })
