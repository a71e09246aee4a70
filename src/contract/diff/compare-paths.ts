import type { Contract, ContractOperation } from '../../compile/contract-format.ts'
import { compareProblems, reportedByRules } from './compare-problems.ts'
import { compareNames } from './compare-services.ts'
import { additive, breaking, type Difference, type Differences, matched } from './difference.ts'

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
  return {
    verdict,
    part: 'path',
    where,
    what: `endpoint ${what}`,
    subject: { kind: `endpoint ${what}`, resource, name },
  }
}

const compareOperations = (
  where: string,
  from: ContractOperation,
  to: ContractOperation,
  hasRules: boolean,
): Differences => {
  const found: Difference[] = []
  const { resource } = from
  const method = where.split(' ', 1)[0] ?? ''
  if (from.resource !== to.resource) {
    const what = `serves ${to.resource} in place of ${from.resource}`
    found.push({
      verdict: breaking,
      part: 'path',
      where,
      what,
      subject: { kind: 'resource of path', resource },
    })
  }
  if (from.success !== to.success) {
    const what = `success status ${from.success} became ${to.success}`
    found.push({ verdict: breaking, part: 'path', where, what, subject: { kind: 'status', resource } })
  }
  if (from.scope !== to.scope) {
    const what = `needs ${to.scope} in place of ${from.scope}`
    const subject = { kind: 'scope', resource: to.resource, name: method, from: from.scope, to: to.scope }
    found.push({ verdict: breaking, part: 'path', where, what, subject })
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
