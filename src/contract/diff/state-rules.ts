import type { ContractRules } from '../../compile/frozen.ts'
import { additive, breaking, type Difference, type Differences, matched } from './difference.ts'

/** Contracts that were published before these rules were told say nothing of them, and are not held to anything here. */
export const compareStateRules = (
  resource: string,
  from: ContractRules | undefined,
  to: ContractRules | undefined,
): Differences => {
  const say: Say = (verdict, what) => ({
    verdict,
    part: 'rule',
    where: resource,
    what,
    subject: { kind: stateRule, resource },
  })
  return [
    ...compareStates(say, 'written', from?.only_while, to?.only_while),
    ...compareStates(say, 'deleted', from?.delete?.only_while, to?.delete?.only_while),
    ...compareDependents(say, from?.delete, to?.delete),
  ]
}

export const stateRule = 'state rule'

type Say = (verdict: Difference['verdict'], what: string) => Difference

const compareStates = (
  say: Say,
  done: string,
  from: ContractRules['only_while'],
  to: ContractRules['only_while'],
): Differences => {
  if (!from || !to) return []
  const { both, gone, come } = matched(from, to)
  return [
    ...come.map((field) =>
      say(
        breaking,
        `rows can be ${done} only while ${field} is ${either(to[field])} (a constraint newly set)`,
      ),
    ),
    ...gone.map((field) => say(additive, `rows can be ${done} whatever ${field} is`)),
    ...both.flatMap(([field, before, after]) => [
      ...only(before, after).map((value) =>
        say(breaking, `rows can no longer be ${done} while ${field} is ${quoted(value)}`),
      ),
      ...only(after, before).map((value) =>
        say(additive, `rows can be ${done} while ${field} is ${quoted(value)} too`),
      ),
    ]),
  ]
}

/** A resource that is new among them has rows only once somebody makes them; who had some is told what becomes of them now. */
const compareDependents = (
  say: Say,
  from: ContractRules['delete'],
  to: ContractRules['delete'],
): Differences => {
  if (!from || !to) return []
  return [
    ...only(to.refused_by, from.refused_by).map((name) =>
      from.takes_along.includes(name)
        ? say(
            breaking,
            `a row can no longer be deleted while rows of ${name} name it: they were deleted along`,
          )
        : say(additive, `a row cannot be deleted while rows of ${name} name it`),
    ),
    ...only(to.takes_along, from.takes_along).map((name) =>
      from.refused_by.includes(name)
        ? say(breaking, `rows of ${name} are deleted along: a row could not be deleted while they named it`)
        : say(additive, `rows of ${name} are deleted along`),
    ),
  ]
}

const only = (some: readonly string[], others: readonly string[]): readonly string[] =>
  some.filter((one) => !others.includes(one))

const quoted = (value: string): string => JSON.stringify(value)

const either = (values: readonly string[] = []): string => values.map(quoted).join(' or ')
