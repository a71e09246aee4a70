import type { ContractProblems } from '../../compile/contract-format.ts'
import { additive, breaking, type Difference, type Differences, matched, sayAt } from './difference.ts'

/** Conflicts with the present state: an unchanged sender now gets this refusal. */
const newRefusals: ReadonlySet<string> = new Set(['state-conflict'])
/** Refusals that another difference (of the key, of If-Match, of unique fields, of rules on rows, of limits) already reports. */
const reportedElsewhere: ReadonlySet<string> = new Set([
  'idempotency-key-missing',
  'idempotency-key-malformed',
  'idempotency-key-reused',
  'idempotency-in-progress',
  'precondition-required',
  'unique-conflict',
  'scope-missing',
  'not-permitted',
  'credentials-missing',
  'credentials-invalid',
  'transition-not-allowed',
  'include-not-allowed',
  'include-too-deep',
  'include-too-large',
  'include-too-many',
  'include-unknown',
  'response-too-large',
])

/** Refusals that the rules of a resource describe more exactly, where both contracts have rules. */
export const reportedByRules: ReadonlySet<string> = new Set(['state-conflict', 'still-referenced'])

export const compareProblems = (
  where: string,
  from: ContractProblems,
  to: ContractProblems,
  resource?: string,
  reported: ReadonlySet<string> = new Set(),
): Differences => {
  const { both, gone, come } = matched(statusesOf(from), statusesOf(to))
  const difference = (verdict: Difference['verdict'], name: string, what: string): Difference =>
    sayAt('problem', where, { name, resource })(verdict, `problem ${name}${what}`, 'problem')
  const isReported = (name: string): boolean => reportedElsewhere.has(name) || reported.has(name)
  return [
    ...both
      .filter(([, before, after]) => before !== after)
      .map(([name, before, after]) => difference(breaking, name, `: status ${before} became ${after}`)),
    ...gone
      .filter((name) => !isReported(name) && !newRefusals.has(name))
      .map((name) => difference(breaking, name, ' was removed or became another type')),
    ...come
      .filter((name) => !isReported(name))
      .map((name) => difference(newRefusals.has(name) ? breaking : additive, name, ' was added')),
  ]
}

const statusesOf = (problems: ContractProblems): { readonly [type: string]: string } =>
  Object.fromEntries(
    Object.entries(problems).flatMap(([status, types]) => types.map((type) => [type, status])),
  )
