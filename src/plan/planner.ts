import { answersOf, type Grants } from '../call/grants.ts'
import { type Include, type Included, viewsIn } from '../call/included.ts'
import type { Filter, ListQuery, SortPosition } from '../call/query.ts'
import { sortText } from '../call/query.ts'
import type { Target } from '../call/target.ts'
import type { Resource, SubCollection, View } from '../compile/model.ts'
import type { Rule } from '../compile/rules/checked-rule.ts'
import { needsGuard } from './byte-guard.ts'
import type { Dialect } from './dialect.ts'
import { selectEmbedded } from './embedded.ts'
import { judgeValues } from './judge-values.ts'
import { mostRowStatements, PlanCache } from './plan-cache.ts'
import {
  anyRowOf,
  countRowsOf,
  existsRow,
  findRows,
  type Judgement,
  judgeRow,
  type Lock,
  lockRow,
  lockRowsNaming,
  measureRowsNaming,
  type NamingPart,
  type RowStatement,
  rowsNaming,
  type Selection,
  type Sight,
  sumRows,
  type Where,
} from './row-statements.ts'
import { filterValues, type Owner, padded, selectList, selectOne } from './select.ts'
import { selectTotals } from './select-totals.ts'
import type { Statement } from './statement.ts'

/** Shapes that callers can multiply (filters, sorts, includes) are bounded. */
const mostReads = 4_000

/** What distinguishes the statement of a query from those of other queries of its collection. */
interface QueryShape {
  readonly text: string
  readonly guarded: boolean
}

/** Plans each shape of request once. A read is found by its view, or its sub-collection, which is of one view. */
export class Planner {
  readonly dialect: Dialect
  readonly #ones = new Map<View | SubCollection, PlanCache<Statement>>()
  readonly #lists = new Map<View | SubCollection, PlanCache<Statement>>()
  readonly #listShapes = new WeakMap<ListQuery, QueryShape>()
  readonly #rows = new PlanCache<RowStatement>()

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  /** Plans anew from here on. */
  forget(): void {
    this.#ones.clear()
    this.#lists.clear()
    this.#rows.clear()
  }

  one(target: Target, include: Include, grants: Grants): Statement {
    const { view, sub } = target
    const shape = answersFor(target, include, grants) + include.canonical
    return plansOf(this.#ones, sub ?? view).get(shape, shareOf(this.#ones), () =>
      selectOne(view, ownerOf(target), include.tree, grants, this.dialect),
    )
  }

  list(target: Target, query: ListQuery, after: SortPosition | null, grants: Grants): Statement {
    const { view, sub } = target
    const { include, by, sort, filters, either, filteredBy, limit, search, count: counted } = query
    const { guarded, text } = this.#listShape(query, view)
    const related = filteredBy.map(({ resource }) => answersOf(grants, resource.asks)).join('')
    const shape = answersFor(target, include, grants) + related + text + (after ? afterShape(after) : '')
    return plansOf(this.#lists, sub ?? view).get(shape, shareOf(this.#lists), () =>
      (view.totals ? selectTotals : selectList)(
        {
          view,
          owner: ownerOf(target),
          tree: include.tree,
          by,
          sort,
          filters,
          either,
          after,
          pageSize: this.dialect.pageSize(limit + 1),
          guarded,
          searched: search ? padded(search).length : 0,
          counted,
        },
        grants,
        this.dialect,
      ),
    )
  }

  lock(resource: Resource, lock: Lock): RowStatement {
    return this.#plan(`l ${resource.name} ${lock}`, () => lockRow(resource, this.dialect, lock))
  }

  lockNaming(resource: Resource, field: string, part: NamingPart): RowStatement {
    return this.#plan(`ln ${resource.name} ${field} ${part}`, () =>
      lockRowsNaming(resource, field, part, this.dialect),
    )
  }

  measureNaming(resource: Resource, field: string, most: number): RowStatement {
    return this.#plan(`mn ${resource.name} ${field} ${most}`, () =>
      measureRowsNaming(resource, field, most, this.dialect),
    )
  }

  find(resource: Resource, selection: Selection, sight: Sight): RowStatement {
    const { where, order, most } = selection
    const sorted = order.map(({ field, descending }) => `${descending ? '-' : ''}${field}`)
    return this.#plan(`f ${seen(resource, sight)} ${most} ${sorted.join(',')} ${whereShape(where)}`, () =>
      findRows(resource, selection, sight, this.dialect),
    )
  }

  count(resource: Resource, where: Where, sight: Sight): RowStatement {
    return this.#plan(`c ${seen(resource, sight)} ${whereShape(where)}`, () =>
      countRowsOf(resource, where, sight, this.dialect),
    )
  }

  any(resource: Resource, where: Where, sight: Sight): RowStatement {
    return this.#plan(`a ${seen(resource, sight)} ${whereShape(where)}`, () =>
      anyRowOf(resource, where, sight, this.dialect),
    )
  }

  sum(resource: Resource, of: string, where: Where, sight: Sight): RowStatement {
    return this.#plan(`s ${seen(resource, sight)} ${of} ${whereShape(where)}`, () =>
      sumRows(resource, of, where, sight, this.dialect),
    )
  }

  exists(resource: Resource, sight: Sight): RowStatement {
    return this.#plan(`e ${seen(resource, sight)}`, () => existsRow(resource, sight, this.dialect))
  }

  judge(resource: Resource, judgements: readonly Judgement[]): RowStatement {
    const asked = judgements.map(({ rule, grants }) => `${rule.kind}${answersOf(grants, rule.scopes)}`)
    return this.#plan(`j ${resource.name} ${asked.join(' ')}`, () =>
      judgeRow(resource, judgements, this.dialect),
    )
  }

  naming(resource: Resource, field: string, most: 'one' | 'all'): RowStatement {
    return this.#plan(`n ${resource.name} ${field} ${most}`, () =>
      rowsNaming(resource, field, most, this.dialect),
    )
  }

  judgeValues(resource: Resource, rule: Rule, grants: Grants): RowStatement {
    return this.#plan(`jv ${resource.name} ${rule.kind}${answersOf(grants, rule.scopes)}`, () =>
      judgeValues(resource, rule, grants, this.dialect),
    )
  }

  embedded(view: View, tree: readonly Included[], grants: Grants): RowStatement {
    const asks = viewsIn(tree).flatMap(({ resource }) => resource.asks)
    const shape = `em ${view.version.name} ${view.name} ${treeShape(tree)} ${answersOf(grants, asks)}`
    return this.#plan(shape, () => selectEmbedded(tree, grants, this.dialect))
  }

  #plan(shape: string, plan: () => RowStatement): RowStatement {
    return this.#rows.get(shape, mostRowStatements, plan)
  }

  /** The shape is computed once per cached query. */
  #listShape(query: ListQuery, view: View): QueryShape {
    const known = this.#listShapes.get(query)
    if (known !== undefined) return known
    const { include, by, sort, filters, either, limit, search, count } = query
    const size = this.dialect.pageSize(limit + 1)
    // Of pages of one shape, only the large ones may have to be guarded.
    const guarded = needsGuard(view, include.tree, limit)
    const text = `${size}${guarded ? 'g' : ''}${count ? 'c' : ''}${search ? `s${padded(search).length}` : ''} ${include.canonical} ${by.map(({ name }) => name).join(',')} ${sortText(sort)} ${filters.map(filterShape).join('&')}${either.map((conditions) => `|${conditions.map(filterShape).join('&')}`).join('')}`
    const shape = { text, guarded }
    this.#listShapes.set(query, shape)
    return shape
  }
}

/**
 * A statement depends on the answers to all scopes that its resources ask for. Those of a target are always the same, and those
 * of an include are told by its canonical form, so the texts can be joined without a separator.
 */
const answersFor = ({ view, sub }: Target, include: Include, grants: Grants): string =>
  answersOf(grants, view.resource.asks) +
  (sub ? answersOf(grants, sub.owner().resource.asks) : '') +
  (sub?.relation.join ? answersOf(grants, sub.relation.join().resource.asks) : '') +
  answersOf(grants, include.asks)

const ownerOf = ({ sub }: Target): Owner | null => {
  const relation = sub?.relation.relation
  return relation?.kind === 'has-many' ? { relation, resource: relation.source } : null
}

function plansOf<K, T>(plans: Map<K, PlanCache<T>>, of: K): PlanCache<T> {
  const known = plans.get(of) ?? new PlanCache<T>()
  plans.set(of, known)
  return known
}

/** Every collection that is read gets an equal share of the cache. */
const shareOf = ({ size }: ReadonlyMap<unknown, unknown>): number =>
  Math.max(20, Math.floor(mostReads / size))

const treeShape = (tree: readonly Included[]): string =>
  tree.map(({ relation, children }) => `${relation.name}(${treeShape(children)})`).join(',')

const afterShape = (after: SortPosition): string =>
  ` ${after.map((value) => (value === null ? 'n' : 'v')).join('')}`

/** A statement with the sight of a caller depends on the scopes that the resource asks for. */
const seen = ({ name, asks, rules }: Resource, sight: Sight): string =>
  sight && rules.read ? `${name} as ${answersOf(sight, asks)}` : name

const whereShape = (where: Where): string =>
  where
    .map(({ field, operator, values, withNull }) => `${field} ${operator} ${values}${withNull ? 'n' : ''}`)
    .join('&')

const filterShape = (filter: Filter): string =>
  `${filter.name} ${filter.operator} ${filterValues(filter).length}${filter.values.includes(null) ? 'n' : ''}`
