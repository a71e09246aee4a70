import { canCollide } from '../compile/changes/uniques.ts'
import type { Contract, ContractOperation, ContractProblems } from '../compile/contract-format.ts'
import type { SubCollection, Version, View } from '../compile/model.ts'
import { reachedByDelete } from '../compile/resources/dependents.ts'
import { eitherOrParameter } from '../compile/resources/either-or-limits.ts'
import { searchParameter } from '../compile/resources/searched.ts'
import { effective } from '../compile/rules/checked-rule.ts'
import type { Method, ScopeRule } from '../declare/resource.ts'
import type { RuleKind } from '../declare/rule.ts'
import { type ProblemKind, type ProblemType, problemKinds } from '../problems.ts'

export type OperationPlace = 'collection' | 'row'

/** A collection or a row, as a path leads to it. */
export interface Spot {
  readonly path: string
  readonly view: View
  /** The sub-collection that a path below an owner names. */
  readonly sub: SubCollection | null
  readonly place: OperationPlace
}

export const spotsOf = (version: Version): readonly Spot[] =>
  [...version.views.values()].flatMap((view) => [
    ...(view.topLevel ? spotsAt(`/${view.name}`, view, null) : []),
    ...view.under.flatMap((sub) => spotsAt(`/${sub.owner().name}/{id}/${sub.segment}`, view, sub)),
  ])

const spotsAt = (path: string, view: View, sub: SubCollection | null): readonly Spot[] => [
  { path, view, sub, place: 'collection' },
  // A row of totals has no id.
  ...(view.totals
    ? []
    : [{ path: `${path}/${sub ? '{sub_id}' : '{id}'}`, view, sub, place: 'row' } as const]),
]

/** Every path of a version with its methods. */
export const pathsOf = (version: Version): Contract['paths'] =>
  Object.fromEntries(
    spotsOf(version).flatMap(({ path, view, sub, place }) => {
      const { methods } = sub ?? view
      const reads = place === 'row' ? view.reads.one : view.reads.list
      const offered = methodsOf[place].filter((method) => methods.has(method) && (reads || method !== 'GET'))
      const operations = offered.map((method) => [method, operationOf(view, method, place, sub)])
      return offered.length === 0 ? [] : [[path, Object.fromEntries(operations)]]
    }),
  )

const methodsOf: { readonly [P in OperationPlace]: readonly Method[] } = {
  collection: ['GET', 'POST'],
  row: ['GET', 'PUT', 'PATCH', 'DELETE'],
}

const success: { readonly [M in Method]: number } = { GET: 200, POST: 201, PUT: 200, PATCH: 200, DELETE: 204 }

const operationOf = (
  view: View,
  method: Method,
  place: OperationPlace,
  sub: SubCollection | null,
): ContractOperation => ({
  resource: view.name,
  scope: view.scopes[method],
  success: success[method],
  parameters: parametersOf(view, method, place),
  headers: headersOf(view, method, place),
  problems: byStatus(
    new Map([
      ...engineProblems(problemsOf(view, method, place, sub)),
      ...(hasCode(view, method) ? view.resource.problems : []),
    ]),
  ),
})

export const byStatus = (kinds: ReadonlyMap<string, ProblemKind>): ContractProblems => {
  const groups = Map.groupBy([...kinds.keys()].sort(), (type) => kinds.get(type)?.status ?? 0)
  return Object.fromEntries(groups)
}

export const engineProblems = (types: readonly ProblemType[]): ReadonlyMap<string, ProblemKind> =>
  new Map(types.map((type) => [type, problemKinds[type]]))

/** Whether code of the declaration runs, which may refuse with a declared problem. */
const hasCode = ({ resource }: View, method: Method): boolean => {
  if (resource.answered) return true
  const { create, update, delete: remove } = resource.hasHooks
  return { GET: false, POST: create, PUT: update, PATCH: update, DELETE: remove }[method]
}

const parametersOf = (view: View, method: Method, place: OperationPlace): readonly string[] => {
  if (method !== 'GET') return []
  const include = view.includePaths.length > 0 ? ['include'] : []
  if (place === 'row') return include
  const filter = view.filters.size > 0 ? ['filter'] : []
  const either = view.eitherOr ? [eitherOrParameter] : []
  const count = view.counted ? ['count'] : []
  const by = view.totals ? ['by'] : []
  const search = view.searched.size > 0 ? [searchParameter] : []
  return [...by, ...count, 'cursor', ...filter, ...either, ...include, 'limit', ...search, 'sort']
}

const headersOf = (view: View, method: Method, place: OperationPlace): readonly string[] => {
  if (method === 'DELETE') return []
  if (method === 'POST') {
    const replayed = view.idempotency.mode === 'off' ? [] : ['Idempotent-Replayed']
    return ['ETag', ...replayed, ...(view.reads.one ? ['Location'] : [])]
  }
  return ['Cache-Control', place === 'row' ? 'ETag' : 'Link']
}

/** The problems that any call can get. */
export const problemsEverywhere: readonly ProblemType[] = [
  'bad-query',
  'headers-too-large',
  'not-acceptable',
  'overloaded',
  'request-timeout',
  'shutting-down',
  'store-unavailable',
  'too-many-requests',
  'unexpected',
  'uri-too-long',
  'version-retired',
]
const onInclude: readonly ProblemType[] = [
  'include-not-allowed',
  'include-too-deep',
  'include-too-large',
  'include-too-many',
  'include-unknown',
]
const onBody: readonly ProblemType[] = [
  'body-too-large',
  'malformed-json',
  'unsupported-media-type',
  'validation-failed',
]
const onKey: readonly ProblemType[] = [
  'idempotency-in-progress',
  'idempotency-key-malformed',
  'idempotency-key-reused',
]

/** Whether the call may send, filter or sort by a field that needs a scope. */
const asksForScopes = (view: View, method: Method, place: OperationPlace): boolean => {
  const asking = view.fields.filter(({ needsScopes }) => needsScopes.length > 0)
  if (method === 'DELETE' || (method === 'GET' && place === 'row')) return false
  if (method !== 'GET') return asking.length > 0
  const filtered = [...view.filterOf.values()].some(({ field }) => field.needsScopes.length > 0)
  return filtered || asking.some(({ name }) => view.sorts.has(name))
}

/** What a call needs: what its rows need, and below the owner of a many-to-many also what reading the join needs. */
export const scopeRulesOf = (view: View, method: Method, sub: SubCollection | null): readonly ScopeRule[] => {
  const join = sub?.relation.join?.()
  return [...new Set([view.scopes[method], ...(join ? [join.scopes.GET] : [])])]
}

/** The rules that a write is refused by. A row that the read rule hides does not exist. */
const ruledBy: { readonly [M in Method]: readonly RuleKind[] } = {
  GET: [],
  POST: ['create'],
  PUT: ['update', 'create'],
  PATCH: ['update', 'create'],
  DELETE: ['delete'],
}

/** The problems of one operation, derived from the declaration of its resource. */
const problemsOf = (
  view: View,
  method: Method,
  place: OperationPlace,
  sub: SubCollection | null,
): readonly ProblemType[] => {
  const { resource } = view
  const when = (condition: boolean, ...types: ProblemType[]) => (condition ? types : [])
  const [reads, creates, deletes] = [method === 'GET', method === 'POST', method === 'DELETE']
  const changes = !reads && !creates
  const rules = scopeRulesOf(view, method, sub)
  const asks = asksForScopes(view, method, place)
  return [
    ...when(rules.some((rule) => rule !== 'public') || asks, 'credentials-missing', 'credentials-invalid'),
    ...when(rules.some((rule) => rule !== 'public' && rule !== 'authenticated') || asks, 'scope-missing'),
    ...when(
      ruledBy[method].some((kind) => effective(resource.rules, kind) !== null),
      'not-permitted',
    ),
    ...when(place === 'row' || sub !== null, 'not-found'),
    ...when(reads && view.includePaths.length > 0, ...onInclude),
    ...when(reads || (creates && (view.bulk || resource.answered !== null)), 'response-too-large'),
    ...when(resource.answered !== null, 'answer-timed-out'),
    ...when(reads && place === 'collection', 'bad-cursor'),
    ...when(view.totals !== null, 'totals-too-large'),
    ...when(reads && place === 'collection' && view.searched.size > 0, 'search-not-ready'),
    ...when(view.serves === 'events' && place === 'collection', 'events-expired'),
    ...when(!reads && !deletes, ...onBody),
    ...when(!reads && !deletes && canCollide(view), 'unique-conflict'),
    ...when(creates && view.idempotency.mode !== 'off', ...onKey),
    ...when(creates && view.idempotency.mode === 'required', 'idempotency-key-missing'),
    ...when(changes, 'precondition-failed'),
    ...when(changes && view.requireIfMatch, 'precondition-required'),
    ...when(changes && !deletes && view.fields.some((field) => field.states), 'transition-not-allowed'),
    ...when(
      !reads && (resource.onlyWhile.length > 0 || (deletes && resource.deleteOnlyWhile.length > 0)),
      'state-conflict',
    ),
    ...when(
      deletes && reachedByDelete(resource).some((one) => one.onDelete === 'refuse'),
      'still-referenced',
    ),
  ]
}
