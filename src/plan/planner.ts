import type { Resource, SumFeed, View } from '../compile/model.ts'
import type { Position } from '../request/cursor.ts'
import type { Filter } from '../request/filter.ts'
import type { Include } from '../request/include.ts'
import type { ListQuery } from '../request/query.ts'
import type { Target } from '../request/route.ts'
import { sortText } from '../request/sort.ts'
import type { Dialect } from './dialect.ts'
import {
  deleteRow,
  existsDependent,
  existsRow,
  findRows,
  holdRow,
  insertRow,
  insertRowWithKey,
  lockRow,
  type Mutation,
  refreshSum,
  sumRows,
  updateRow,
  type Where,
} from './mutate.ts'
import { filterValues, selectList, selectOne } from './select.ts'
import type { Statement } from './statement.ts'

/** Shapes that callers can multiply (filters, sorts, includes) are bounded; beyond, the oldest is planned anew. */
const mostShapes = 2_000

/** Plans each shape of request once. A view's key is its version and name; a resource's is its name. */
export class Planner {
  readonly dialect: Dialect
  readonly #selects = new Map<string, Statement>()
  readonly #mutations = new Map<string, Mutation>()

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  one(target: Target, include: Include): Statement {
    const { view, sub } = target
    const shape = `1 ${viewKey(view)} ${sub?.by.field ?? ''} ${include.canonical}`
    return this.#select(shape, () => selectOne(view, sub?.by.field ?? null, include.tree, this.dialect))
  }

  list(target: Target, query: ListQuery, after: Position | null): Statement {
    const { view, sub } = target
    const { include, sort, filters } = query
    const owner = sub?.owner().resource
    const shape = `n ${viewKey(view)} ${sub?.segment ?? ''} ${include.canonical} ${sortText(sort)} ${filters.map(filterShape).join('&')} ${after?.map((value) => (value === null ? 'n' : 'v')).join('') ?? ''}`
    return this.#select(shape, () =>
      selectList(
        {
          view,
          owner: sub && owner ? { field: sub.by.field, table: owner.table, shared: owner.shared } : null,
          tree: include.tree,
          sort,
          filters,
          after,
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

  lock(resource: Resource, ownerField: string | null, lock = true): Mutation {
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

  dependent(resource: Resource, field: string): Mutation {
    return this.#mutation(`p ${resource.name} ${field}`, () => existsDependent(resource, field, this.dialect))
  }

  #select(shape: string, plan: () => Statement): Statement {
    return remembered(this.#selects, shape, plan)
  }

  #mutation(shape: string, plan: () => Mutation): Mutation {
    return remembered(this.#mutations, shape, plan)
  }
}

function remembered<T>(plans: Map<string, T>, shape: string, plan: () => T): T {
  const known = plans.get(shape)
  if (known) return known
  const made = plan()
  if (plans.size >= mostShapes) {
    const [oldest] = plans.keys()
    if (oldest !== undefined) plans.delete(oldest)
  }
  plans.set(shape, made)
  return made
}

const viewKey = (view: View): string => `${view.version.name}/${view.name}`

const whereShape = ({ set, unset }: Where): string => `${set.join(',')} ${unset.join(',')}`

const filterShape = (filter: Filter): string =>
  `${filter.name} ${filter.operator} ${filterValues(filter).length}${filter.values.includes(null) ? 'n' : ''}`
