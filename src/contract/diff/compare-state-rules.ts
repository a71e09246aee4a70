import type {
  ContractField,
  ContractResource,
  ContractRules,
  StateRules,
} from '../../compile/contract-format.ts'
import { additive, breaking, type Difference, type Differences, matched, sayAt } from './difference.ts'

export const stateRule = 'state rule'

export const compareStateRules = (
  resource: string,
  from: ContractResource,
  to: ContractResource,
): Differences => {
  const say: SayRule = (verdict, what) => sayAt('rule', resource, { resource })(verdict, what, stateRule)
  if (!to.rules) return []
  // Contracts published before rules were part of the format are not compared in them.
  if (!from.rules) return [say(additive, 'is listed with its rules of state')]
  // A consumer that cannot send a relation leaves it empty, so its rule does not apply.
  const named = (field: string) => from.relations[field.split('.', 1)[0] ?? ''] !== undefined
  // Rows created without the field have its first value.
  const tied = (field: string, allowed: readonly string[]) =>
    from.fields[field] !== undefined || !allowed.includes(firstValueOf(to.fields[field]))
  return [
    ...compareStates(say, 'written', from.rules.only_while, to.rules.only_while, named),
    ...compareStates(say, 'deleted', from.rules.delete?.only_while, to.rules.delete?.only_while, tied),
    ...compareDependents(say, from.rules.delete, to.rules.delete),
  ]
}

type SayRule = (verdict: Difference['verdict'], what: string) => Difference

const compareStates = (
  say: SayRule,
  done: string,
  from: StateRules | undefined,
  to: StateRules | undefined,
  isTied: (field: string, allowed: readonly string[]) => boolean,
): Differences => {
  if (!from || !to) return []
  const { both, gone, come } = matched(from, to)
  return [
    ...come.map((field) =>
      say(
        isTied(field, to[field] ?? []) ? breaking : additive,
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

/** A new relation has no rows yet; for one that had rows, the difference says what a delete does with them now. */
const compareDependents = (
  say: SayRule,
  from: ContractRules['delete'],
  to: ContractRules['delete'],
): Differences => {
  if (!from || !to) return []
  return [
    ...only(to.refused_by, from.refused_by).map((name) =>
      from.takes_along.includes(name)
        ? say(
            breaking,
            `a row can no longer be deleted while ${name} leads to it: those rows were deleted along`,
          )
        : say(additive, `a row cannot be deleted while ${name} leads to it`),
    ),
    ...only(to.takes_along, from.takes_along).map((name) =>
      from.refused_by.includes(name)
        ? say(breaking, `rows whose ${name} leads to a deleted one are deleted along: they refused it`)
        : say(additive, `rows whose ${name} leads to a deleted one are deleted along`),
    ),
  ]
}

const firstValueOf = (field: ContractField | undefined): string =>
  field?.states?.initial ?? String(field?.request?.default)

const only = (some: readonly string[], others: readonly string[]): readonly string[] =>
  some.filter((one) => !others.includes(one))

const quoted = (value: string): string => JSON.stringify(value)

const either = (values: readonly string[] = []): string => values.map(quoted).join(' or ')
