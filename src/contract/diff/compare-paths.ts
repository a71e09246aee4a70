import type { Contract, ContractOperation } from '../../compile/contract-format.ts'
import { compareProblems, reportedByRules } from './compare-problems.ts'
import { compareNames } from './compare-services.ts'
import { additive, breaking, type Difference, type Differences, matched, sayAt } from './difference.ts'

interface Operation extends ContractOperation {
  readonly method: string
  readonly path: string
}

/** By method and path: `GET /orders`. */
type Operations = { readonly [operation: string]: Operation }

/** Paths of a resource that only one contract has are reported once, as that resource. */
export const comparePaths = (older: Contract, newer: Contract): Differences => {
  const [before, after] = [operationsOf(older), operationsOf(newer)]
  const { both, gone, come } = matched(before, after)
  const named = (names: readonly string[], operations: Operations, other: Contract) =>
    names.flatMap((name) => operations[name] ?? []).filter(({ resource }) => other.resources[resource])
  const hasRules = (resource: string): boolean =>
    older.resources[resource]?.rules !== undefined && newer.resources[resource]?.rules !== undefined
  return [
    ...named(gone, before, newer).map((one) => endpoint(one, breaking, 'endpoint was removed')),
    ...named(come, after, older).map((one) => endpoint(one, additive, 'endpoint was added')),
    ...both.flatMap(([name, from, to]) => compareOperations(name, from, to, hasRules(from.resource))),
  ]
}

const operationsOf = (contract: Contract): Operations => {
  const operations: { [operation: string]: Operation } = {}
  for (const [path, methods] of Object.entries(contract.paths)) {
    for (const [method, operation] of Object.entries(methods))
      operations[`${method} ${path}`] = { ...operation, method, path }
  }
  return operations
}

const endpoint = (
  { method, path, resource }: Operation,
  verdict: Difference['verdict'],
  what: 'endpoint was removed' | 'endpoint was added',
): Difference => sayAt('path', `${method} ${path}`, { resource, name: method })(verdict, what, what, { path })

const compareOperations = (where: string, from: Operation, to: Operation, hasRules: boolean): Differences => {
  const found: Difference[] = []
  const { resource } = from
  const say = sayAt('path', where, { resource })
  if (from.resource !== to.resource) {
    found.push(say(breaking, `serves ${to.resource} in place of ${from.resource}`, 'resource of path'))
  }
  if (from.success !== to.success) {
    found.push(say(breaking, `success status ${from.success} became ${to.success}`, 'status'))
  }
  if (from.scope !== to.scope) {
    const subject = { resource: to.resource, name: from.method, from: from.scope, to: to.scope }
    const what = `needs ${to.scope} in place of ${from.scope}`
    found.push(sayAt('path', where, subject)(breaking, what, 'scope'))
  }
  return [
    ...found,
    ...compareNames(from.parameters, to.parameters, 'path', where, 'query parameter', resource),
    ...compareNames(from.headers, to.headers, 'path', where, 'response header', resource),
    ...compareProblems(
      where,
      from.problems,
      to.problems,
      to.resource,
      hasRules ? reportedByRules : undefined,
    ),
  ]
}
