import type { Resource, SubCollection, SumFeed, View } from '../compile/model.ts'
import type { Position } from '../request/cursor.ts'
import type { Filter } from '../request/filter.ts'
import type { Include } from '../request/include.ts'
import type { ListQuery } from '../request/query.ts'
import type { Target } from '../request/route.ts'
import { sortText } from '../request/sort.ts'
import type { Dialect } from './dialect.ts'
import {
  deleteRow,
  existsRow,
  findRows,
  holdRow,
  insertRow,
  insertRowWithKey,
  type Lock,
  lockRow,
  type Mutation,
  refreshSum,
  rowsNaming,
  sumRows,
  updateRow,
  type Where,
} from './mutate.ts'
import { filterValues, selectList, selectOne } from './select.ts'
import type { Statement } from './statement.ts'

/** Shapes that callers can multiply (filters, sorts, includes, fields) are bounded; beyond, the oldest is planned anew. */
const mostReads = 4_000
const mostMutations = 2_000

/** Plans each shape of request once. A read is found by its view, or its sub-collection, which is of one view. */
export class Planner {
  readonly dialect: Dialect
  readonly #ones = new Map<View | SubCollection, Map<string, Statement>>()
  readonly #lists = new Map<View | SubCollection, Map<string, Statement>>()
  readonly #listShapes = new WeakMap<ListQuery, string>()
  readonly #mutations = new Map<string, Mutation>()

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  one(target: Target, include: Include): Statement {
    const { view, sub } = target
    return remembered(plansOf(this.#ones, sub ?? view), include.canonical, shareOf(this.#ones), () =>
      selectOne(view, sub?.by.field ?? null, include.tree, this.dialect),
    )
  }

  list(target: Target, query: ListQuery, after: Position | null): Statement {
    const { view, sub } = target
    const { include, sort, filters, limit } = query
    const owner = sub?.owner().resource
    const shape = this.#listShape(query) + (after ? afterShape(after) : '')
    return remembered(plansOf(this.#lists, sub ?? view), shape, shareOf(this.#lists), () =>
      selectList(
        {
          view,
          owner: sub && owner ? { field: sub.by.field, table: owner.table, shared: owner.shared } : null,
          tree: include.tree,
          sort,
          filters,
          after,
          pageSize: this.dialect.pageSize(limit + 1),
        },
        this.dialect,
      ),
    )
  }

  insert(resource: Resource): Mutation {
    return this.#mutation(`i ${resource.name}`, () => insertRow(resource, this.dialect))
  }

  insertWithKey(resource: Resource): Mutation {
    return this.#mutation(`k ${resource.name}`, () => insertRowWithKey(resource, this.dialect))
  }

  update(resource: Resource, fields: readonly string[]): Mutation {
    return this.#mutation(`u ${resource.name} ${fields.join(',')}`, () =>
      updateRow(resource, fields, this.dialect),
    )
  }

  delete(resource: Resource): Mutation {
    return this.#mutation(`d ${resource.name}`, () => deleteRow(resource, this.dialect))
  }

  lock(resource: Resource, ownerField: string | null, lock: Lock): Mutation {
    return this.#mutation(`l ${resource.name} ${ownerField ?? ''} ${lock}`, () =>
      lockRow(resource, ownerField, this.dialect, lock),
    )
  }

  find(resource: Resource, where: Where): Mutation {
    return this.#mutation(`f ${resource.name} ${whereShape(where)}`, () =>
      findRows(resource, where, this.dialect),
    )
  }

  sum(resource: Resource, of: string, where: Where): Mutation {
    return this.#mutation(`s ${resource.name} ${of} ${whereShape(where)}`, () =>
      sumRows(resource, of, where, this.dialect),
    )
  }

  refreshSum(feed: SumFeed, source: Resource): Mutation {
    return this.#mutation(`r ${source.name} ${feed.on.name} ${feed.field.name}`, () =>
      refreshSum(feed, source, this.dialect),
    )
  }

  exists(resource: Resource): Mutation {
    return this.#mutation(`e ${resource.name}`, () => existsRow(resource, this.dialect))
  }

  hold(resource: Resource): Mutation {
    return this.#mutation(`h ${resource.name}`, () => holdRow(resource, this.dialect))
  }

  naming(resource: Resource, field: string, most: 'one' | 'all'): Mutation {
    return this.#mutation(`n ${resource.name} ${field} ${most}`, () =>
      rowsNaming(resource, field, most, this.dialect),
    )
  }

  /** A query that was read once for many requests has its shape written once, too. */
  #listShape(query: ListQuery): string {
    const known = this.#listShapes.get(query)
    if (known !== undefined) return known
    const { include, sort, filters, limit } = query
    const size = this.dialect.pageSize(limit + 1)
    const shape = `${size} ${include.canonical} ${sortText(sort)} ${filters.map(filterShape).join('&')}`
    this.#listShapes.set(query, shape)
    return shape
  }

  #mutation(shape: string, plan: () => Mutation): Mutation {
    return remembered(this.#mutations, shape, mostMutations, plan)
  }
}

function remembered<T>(plans: Map<string, T>, shape: string, most: number, plan: () => T): T {
  const known = plans.get(shape)
  if (known) return known
  const made = plan()
  if (plans.size >= most) {
    const [oldest] = plans.keys()
    if (oldest !== undefined) plans.delete(oldest)
  }
  plans.set(shape, made)
  return made
}

function plansOf<K, T>(plans: Map<K, Map<string, T>>, of: K): Map<string, T> {
  let known = plans.get(of)
  if (!known) {
    known = new Map()
    plans.set(of, known)
  }
  return known
}

/** Of all collections that are read, each may have as many. */
const shareOf = ({ size }: ReadonlyMap<unknown, unknown>): number =>
  Math.max(20, Math.floor(mostReads / size))

const afterShape = (after: Position): string =>
  ` ${after.map((value) => (value === null ? 'n' : 'v')).join('')}`

const whereShape = ({ set, unset }: Where): string => `${set.join(',')} ${unset.join(',')}`

const filterShape = (filter: Filter): string =>
  `${filter.name} ${filter.operator} ${filterValues(filter).length}${filter.values.includes(null) ? 'n' : ''}`
