import type { Call } from '../call/call.ts'
import { type Included, treeOf } from '../call/included.ts'
import type { ListQuery, SortKey, SortPosition } from '../call/query.ts'
import type {
  FilterTarget,
  HasManyModel,
  Resource,
  SubCollection,
  View,
  ViewField,
} from '../compile/model.ts'
import type { OperatorName } from '../kinds/operators.ts'
import { bound } from './bind.ts'
import { filterValueKind, filterValues, padded, sortValues } from './compared-values.ts'
import type { ConditionShape, QueryShape } from './query-shape.ts'
import { soughtWords } from './search-index.ts'
import type { ValueParts } from './value-parts.ts'

/** What a read gives its statement: a call, and milliseconds since 1970. */
export interface ReadGiven {
  readonly call: Call
  readonly at: number
}

/** The same for a list: its query, and where it goes on. */
export interface ListGiven extends ReadGiven {
  readonly list: ListQuery
  readonly after: SortPosition | null
}

/** A collection: all rows of a view, or those below an owner. */
export type Collected = View | SubCollection

const isSub = (of: Collected): of is SubCollection => 'segment' in of

export const viewOf = (of: Collected): View => (isSub(of) ? of.relation.target() : of)

/** The owner that a nested path names, and the relation that leads from it. */
export interface Owner {
  readonly relation: HasManyModel
  readonly resource: Resource
}

export const ownerAbove = (of: Collected): Owner | null => {
  const relation = isSub(of) ? of.relation.relation : null
  return relation?.kind === 'has-many' ? { relation, resource: relation.source } : null
}

/** The scopes that rows of a collection ask for, whatever the query. */
export const askedBy = (of: Collected): readonly string[] =>
  isSub(of)
    ? [viewOf(of), of.owner(), ...(of.relation.join ? [of.relation.join()] : [])].flatMap(
        ({ resource }) => resource.asks,
      )
    : of.resource.asks

/** A condition, with the slots of its values. */
export interface ListCondition extends FilterTarget {
  readonly operator: OperatorName
  readonly withNull: boolean
  readonly slots: readonly number[]
}

/** The words that are searched for, each with a space before it. */
export type ListSearch = readonly number[]

/** The shape of a list in terms of the model, with the slots of the values that its query gives. */
export interface ListParts {
  readonly view: View
  readonly owner: Owner | null
  readonly tree: readonly Included[]
  /** The groups of totals. */
  readonly by: readonly ViewField[]
  readonly sort: readonly SortKey[]
  readonly filters: readonly ListCondition[]
  readonly either: readonly (readonly ListCondition[])[]
  /** What is searched for; null where nothing is. */
  readonly search: ListSearch | null
  /** The values of the sort keys in the row that the page follows, null for NULL; null for the first page. */
  readonly after: readonly (number | null)[] | null
  readonly pageSize: number
  /** Whether all rows that the filters find are counted, up to the limit. */
  readonly counted: boolean
  /** Whether its texts could pass the limit on bytes. */
  readonly guarded: boolean
}

/** `after`: whether each sort key of the row that the page follows has a value. */
export function listParts(
  of: Collected,
  shape: QueryShape,
  after: readonly boolean[] | null,
  values: ValueParts<ListGiven>,
): ListParts {
  const { pageSize, counted, guarded } = shape
  const view = viewOf(of)
  let number = 0
  const condition = ({ name, operator, values: count, withNull }: ConditionShape): ListCondition => {
    const target = view.filterOf.get(name)
    if (!target) throw new Error(`${view.name} has no filter ${name}`)
    const at = number++
    const slots = values.add(count, ({ list }) => {
      const filter = list.conditions[at]
      if (!filter) return []
      const of = filterValueKind(filter)
      return filterValues(filter).map((value) => bound(of, value))
    })
    return { ...target, operator, withNull, slots }
  }
  const sort = shape.sort.map(({ name, descending }) => ({ field: fieldOf(view, name), descending }))
  const filters = shape.filters.map(condition)
  const either = shape.either.map((conditions) => conditions.map(condition))
  const sought = ({ call, list }: ListGiven) =>
    soughtWords(view.resource, call.caller.account, list.search ?? [])
  const words = values.add(shape.searched, (given) =>
    shape.searched > 0 ? padded(sought(given)).map((word) => ` ${word}`) : [],
  )
  const position = after?.map((isThere, index) => {
    const [slot = null] = isThere
      ? values.add(1, ({ after, list }) => {
          const key = list.sort[index]
          return key ? [bound(sortValues(key.field), after?.[index])] : []
        })
      : []
    return slot
  })
  return {
    view,
    owner: ownerAbove(of),
    tree: treeOf(view, shape.include),
    by: shape.by.map((name) => fieldOf(view, name)),
    sort,
    filters,
    either,
    search: shape.searched > 0 ? words : null,
    after: position ?? null,
    pageSize,
    counted,
    guarded,
  }
}

function fieldOf(view: View, name: string): ViewField {
  const field = view.field.get(name)
  if (!field) throw new Error(`${view.name} has no field ${name}`)
  return field
}
