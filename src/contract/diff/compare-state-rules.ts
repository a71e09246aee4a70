import type {
  ContractField,
  ContractResource,
  ContractRules,
  StateRules,
} from '../../compile/contract-format.ts'
import {
  additive,
  breaking,
  type DependentRows,
  type Difference,
  type Differences,
  type Facts,
  matched,
  sayAt,
} from './difference.ts'

export const stateRule = 'state rule'

export const compareStateRules = (
  resource: string,
  from: ContractResource,
  to: ContractResource,
): Differences => {
  const say: SayRule = (verdict, what, facts) =>
    sayAt('rule', resource, { resource })(verdict, what, stateRule, facts)
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

type SayRule = (verdict: Difference['verdict'], what: string, facts?: Facts) => Difference

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
        say(breaking, `rows can no longer be ${done} while ${field} is ${quoted(value)}`, {
          lostState: { field, value },
        }),
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
  const sayOf = (verdict: Difference['verdict'], dependent: DependentRows) =>
    say(verdict, dependentSentence(dependent), { dependent })
  return [
    ...only(to.refused_by, from.refused_by).map((relation) =>
      from.takes_along.includes(relation)
        ? sayOf(breaking, { relation, onDelete: 'refuses, was deleted along' })
        : sayOf(additive, { relation, onDelete: 'refuses' }),
    ),
    ...only(to.takes_along, from.takes_along).map((relation) =>
      from.refused_by.includes(relation)
        ? sayOf(breaking, { relation, onDelete: 'deleted along, refused' })
        : sayOf(additive, { relation, onDelete: 'deleted along' }),
    ),
  ]
}

/** What a delete does, because of rows whose relation, such as `orders.customer`, leads to the deleted row. */
export const dependentSentence = ({ relation, onDelete }: DependentRows): string => {
  switch (onDelete) {
    case 'refuses':
      return `a row cannot be deleted while ${relation} leads to it`
    case 'refuses, was deleted along':
      return `a row can no longer be deleted while ${relation} leads to it: those rows were deleted along`
    case 'deleted along':
      return `rows whose ${relation} leads to a deleted one are deleted along`
    case 'deleted along, refused':
      return `rows whose ${relation} leads to a deleted one are deleted along: they refused it`
  }
}

const firstValueOf = (field: ContractField | undefined): string =>
  field?.states?.initial ?? String(field?.request?.default)

const only = (some: readonly string[], others: readonly string[]): readonly string[] =>
  some.filter((one) => !others.includes(one))

const quoted = (value: string): string => JSON.stringify(value)

const either = (values: readonly string[] = []): string => values.map(quoted).join(' or ')
