import type { Contract, ContractOperation } from '../../compile/contract-format.ts'
import { compareProblems, reportedByRules } from './compare-problems.ts'
import { compareNames } from './compare-services.ts'
import { additive, breaking, type Difference, type Differences, matched, sayAt } from './difference.ts'

type Operations = { readonly [operation: string]: ContractOperation }

/** Paths of a resource that only one contract has are reported once, as that resource. */
export const comparePaths = (older: Contract, newer: Contract): Differences => {
  const { both, gone, come } = matched(operationsOf(older), operationsOf(newer))
  const known = (name: string, contract: Contract, other: Contract): boolean =>
    other.resources[operationsOf(contract)[name]?.resource ?? ''] !== undefined
  const hasRules = (resource: string): boolean =>
    older.resources[resource]?.rules !== undefined && newer.resources[resource]?.rules !== undefined
  return [
    ...gone
      .filter((name) => known(name, older, newer))
      .map((name) => endpoint(name, older, breaking, 'was removed')),
    ...come
      .filter((name) => known(name, newer, older))
      .map((name) => endpoint(name, newer, additive, 'was added')),
    ...both.flatMap(([name, from, to]) => compareOperations(name, from, to, hasRules(from.resource))),
  ]
}

const operationsOf = (contract: Contract): Operations => {
  const operations: { [operation: string]: ContractOperation } = {}
  for (const [path, methods] of Object.entries(contract.paths)) {
    for (const [method, operation] of Object.entries(methods)) operations[`${method} ${path}`] = operation
  }
  return operations
}

const endpoint = (
  where: string,
  contract: Contract,
  verdict: Difference['verdict'],
  what: string,
): Difference => {
  const resource = operationsOf(contract)[where]?.resource ?? ''
  const name = where.split(' ', 1)[0] ?? ''
  return sayAt('path', where, { resource, name })(verdict, `endpoint ${what}`, `endpoint ${what}`)
}

const compareOperations = (
  where: string,
  from: ContractOperation,
  to: ContractOperation,
  hasRules: boolean,
): Differences => {
  const found: Difference[] = []
  const { resource } = from
  const [name = ''] = where.split(' ', 1)
  const say = sayAt('path', where, { resource })
  if (from.resource !== to.resource) {
    found.push(say(breaking, `serves ${to.resource} in place of ${from.resource}`, 'resource of path'))
  }
  if (from.success !== to.success) {
    found.push(say(breaking, `success status ${from.success} became ${to.success}`, 'status'))
  }
  if (from.scope !== to.scope) {
    const subject = { resource: to.resource, name, from: from.scope, to: to.scope }
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
