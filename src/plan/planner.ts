import type { Grants } from '../call/grants.ts'
import {
  type Include,
  type Included,
  type IncludedNames,
  namesIn,
  treeOf,
  viewsIn,
} from '../call/included.ts'
import type { ListQuery, SortPosition } from '../call/query.ts'
import type { Target } from '../call/target.ts'
import type { Resource, Rule, View } from '../compile/model.ts'
import { AnsweredGrants, answeredScopes } from './answered-scopes.ts'
import type { Dialect } from './dialect.ts'
import { selectEmbedded } from './embedded.ts'
import { judgeValues, takenValues } from './judge-values.ts'
import { askedBy, type Collected, type ListGiven, type ReadGiven, viewOf } from './list-parts.ts'
import { Plans, Shared } from './plans.ts'
import { type QueryShape, queryShape } from './query-shape.ts'
import {
  anyRowOf,
  countRowsOf,
  findRows,
  type Judgement,
  judgeRow,
  type Lock,
  lackingInRow,
  lockRow,
  lockRows,
  lockRowsNaming,
  measureRowsNaming,
  type NamingPart,
  passingIds,
  type RowStatement,
  rowsNaming,
  type Selection,
  type Sight,
  sumRows,
  type Where,
} from './row-statements.ts'
import { selectList, selectOne } from './select.ts'
import { selectTotals } from './select-totals.ts'
import type { Statement } from './statement.ts'

/** A rule of a resource, and the answers to its scopes. */
type AskedRule = readonly [kind: Rule['kind'], scopes: string]

/**
 * Plans each shape of request once. Every kind of plan is made by a function that is given a part of the model and data, and its plans are
 * found by these: see `Plans`.
 */
export class Planner {
  readonly dialect: Dialect
  readonly #plans = new Plans()
  readonly #shapes = new WeakMap<ListQuery, Shared<QueryShape>>()
  readonly #includes = new WeakMap<Include, Shared<IncludedNames>>()

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  /** Plans anew from here on. */
  forget(): void {
    this.#plans.clear()
  }

  one(target: Target, include: Include, grants: Grants): Statement<ReadGiven> {
    const of = target.sub ?? target.view
    const scopes = answeredScopes(grants, askedBy(of)) + answeredScopes(grants, include.asks)
    return this.#one(of, this.#names(include), scopes)
  }

  list(target: Target, query: ListQuery, after: SortPosition | null, grants: Grants): Statement<ListGiven> {
    const of = target.sub ?? target.view
    let scopes = answeredScopes(grants, askedBy(of)) + answeredScopes(grants, query.include.asks)
    for (const { resource } of query.filteredBy) scopes += answeredScopes(grants, resource.asks)
    const shape = this.#shape(query, target.view)
    return this.#list(of, shape, after?.map((value) => value !== null) ?? null, scopes)
  }

  find(resource: Resource, selection: Selection, sight: Sight): RowStatement {
    return this.#find(resource, selection, seen(resource, sight))
  }

  count(resource: Resource, where: Where, sight: Sight): RowStatement {
    return this.#count(resource, where, seen(resource, sight))
  }

  any(resource: Resource, where: Where, sight: Sight): RowStatement {
    return this.#any(resource, where, seen(resource, sight))
  }

  sum(resource: Resource, of: string, where: Where, sight: Sight): RowStatement {
    return this.#sum(resource, of, where, seen(resource, sight))
  }

  judge(resource: Resource, judgements: readonly Judgement[]): RowStatement {
    return this.#judge(resource, judgements.map(asked))
  }

  passing(resource: Resource, judgement: Judgement | null, bound: 'one' | 'many'): RowStatement {
    return this.#passing(resource, judgement && asked(judgement), bound)
  }

  judgeValues(resource: Resource, judgement: Judgement): RowStatement {
    return this.#judgeValues(resource, asked(judgement))
  }

  embedded(view: View, tree: readonly Included[], grants: Grants): RowStatement {
    const asks = viewsIn(tree).flatMap(({ resource }) => resource.asks)
    return this.#embedded(view, namesIn(tree), answeredScopes(grants, asks))
  }

  readonly #one = this.#plans.of((of: Collected, names: Shared<IncludedNames>, scopes: string) =>
    selectOne(of, names.data, new AnsweredGrants(scopes), this.dialect),
  )

  readonly #list = this.#plans.of(
    (of: Collected, shape: Shared<QueryShape>, after: readonly boolean[] | null, scopes: string) => {
      const view = viewOf(of)
      const grants = new AnsweredGrants(scopes)
      return view.totals
        ? selectTotals(view, shape.data, after, grants, this.dialect)
        : selectList(of, shape.data, after, grants, this.dialect)
    },
  )

  readonly lock = this.#plans.of((of: Resource, lock: Lock) => lockRow(of, this.dialect, lock))

  readonly lockAll = this.#plans.of((of: Resource) => lockRows(of, this.dialect))

  readonly lacking = this.#plans.of((of: Resource) => lackingInRow(of, this.dialect))

  readonly lockNaming = this.#plans.of((of: Resource, field: string, part: NamingPart) =>
    lockRowsNaming(of, field, part, this.dialect),
  )

  readonly measureNaming = this.#plans.of((of: Resource, field: string, most: number) =>
    measureRowsNaming(of, field, most, this.dialect),
  )

  readonly #find = this.#plans.of((of: Resource, selection: Selection, scopes: string | null) =>
    findRows(of, selection, sightOf(scopes), this.dialect),
  )

  readonly #count = this.#plans.of((of: Resource, where: Where, scopes: string | null) =>
    countRowsOf(of, where, sightOf(scopes), this.dialect),
  )

  readonly #any = this.#plans.of((of: Resource, where: Where, scopes: string | null) =>
    anyRowOf(of, where, sightOf(scopes), this.dialect),
  )

  readonly #sum = this.#plans.of((of: Resource, field: string, where: Where, scopes: string | null) =>
    sumRows(of, field, where, sightOf(scopes), this.dialect),
  )

  readonly #judge = this.#plans.of((of: Resource, rules: readonly AskedRule[]) =>
    judgeRow(
      of,
      rules.map((rule) => judgementOf(of, rule)),
      this.dialect,
    ),
  )

  readonly #passing = this.#plans.of((of: Resource, rule: AskedRule | null, bound: 'one' | 'many') =>
    passingIds(of, rule && judgementOf(of, rule), bound, this.dialect),
  )

  readonly naming = this.#plans.of((of: Resource, field: string, most: 'one' | 'all') =>
    rowsNaming(of, field, most, this.dialect),
  )

  readonly #judgeValues = this.#plans.of((of: Resource, rule: AskedRule) =>
    judgeValues(of, judgementOf(of, rule), this.dialect),
  )

  readonly taken = this.#plans.of((of: Resource, set: readonly string[]) =>
    takenValues(of, set, this.dialect),
  )

  readonly #embedded = this.#plans.of((of: View, names: IncludedNames, scopes: string) =>
    selectEmbedded(treeOf(of, names), new AnsweredGrants(scopes), this.dialect),
  )

  /** Computed once per cached query. */
  #shape(query: ListQuery, view: View): Shared<QueryShape> {
    const known = this.#shapes.get(query) ?? new Shared(queryShape(query, view, this.dialect))
    this.#shapes.set(query, known)
    return known
  }

  #names(include: Include): Shared<IncludedNames> {
    const known = this.#includes.get(include) ?? new Shared(namesIn(include.tree))
    this.#includes.set(include, known)
    return known
  }
}

/** What a resource's rule on reading asks of a caller whose sight a statement has; null where it narrows nothing. */
const seen = ({ asks, rules }: Resource, sight: Sight): string | null =>
  sight && rules.read ? answeredScopes(sight, asks) : null

const sightOf = (scopes: string | null): Sight => (scopes === null ? null : new AnsweredGrants(scopes))

const asked = ({ rule, grants }: Judgement): AskedRule => [rule.kind, answeredScopes(grants, rule.scopes)]

function judgementOf({ name, rules }: Resource, [kind, scopes]: AskedRule): Judgement {
  const rule = rules[kind]
  if (!rule) throw new Error(`${name} has no rule on ${kind}`)
  return { rule, grants: new AnsweredGrants(scopes) }
}
