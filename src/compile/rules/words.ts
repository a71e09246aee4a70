import type { Comparison, ConditionData, Operand } from '../../declare/condition.ts'
import type { RuleKind } from '../../declare/rule.ts'
import type { View, ViewField } from '../model.ts'
import { toShown } from '../versions/codecs.ts'
import { opposite } from './normal-form.ts'

/**
 * The rule that a resource declares for one kind of call, in the words and names of a version; null where it declares none. Contracts
 * freeze these words: to write them in another way would be a changed rule in every contract that has one.
 */
export const ruleWords = (view: View, kind: RuleKind): string | null => {
  const rule = view.resource.rules[kind]
  if (!rule) return null
  const { condition } = rule
  if (condition.kind === 'own') return 'the subject of the caller owns it, or the caller has no subject'
  if (condition.kind === 'always' || condition.kind === 'never') return constantWords[condition.kind]
  return conditionWords(condition, false, view).text
}

/** The words for rules that hold for every row, or for none. */
export const constantWords = { always: 'every row passes', never: 'no row passes' } as const

/** The rule of the version's contract: as it was published, or as it is. */
export const publishedRule = (view: View, kind: RuleKind): string | null =>
  view.publishedRules.get(kind) ?? (view.publishedRules.has(kind) ? null : ruleWords(view, kind))

interface Words {
  readonly text: string
  /** How its parts are joined; null for a single comparison, which needs no parentheses. */
  readonly joinedBy: 'and' | 'or' | null
  readonly parts: readonly string[]
}

const leaf = (text: string): Words => ({ text, joinedBy: null, parts: [text] })

/** `not` is pushed down to the comparisons, and parts are sorted: rules that mean the same by form have the same words. */
const conditionWords = (condition: ConditionData, negated: boolean, view: View): Words => {
  switch (condition.kind) {
    case 'all-of':
    case 'any-of': {
      const word = (condition.kind === 'all-of') !== negated ? 'and' : 'or'
      return joined(
        word,
        condition.of.map((one) => conditionWords(one, negated, view)),
      )
    }
    case 'not':
      return conditionWords(condition.of, !negated, view)
    case 'has':
      return leaf(`the caller ${negated ? 'lacks' : 'has'} the scope \`${condition.scope}\``)
    default:
      return leaf(leafWords(condition, negated, view) ?? unseen)
  }
}

/** A condition must not tell names and values that the version does not have. */
const unseen = 'a condition holds on what this version does not show'

const joined = (word: 'and' | 'or', all: readonly Words[]): Words => {
  const parts = all.flatMap((one) => {
    if (one.joinedBy === null || one.joinedBy === word) return one.parts
    return [`(${one.text})`]
  })
  const unique = [...new Set(parts)].sort()
  return { text: unique.join(` ${word} `), joinedBy: unique.length > 1 ? word : null, parts: unique }
}

type Leaf = Exclude<ConditionData, { kind: 'all-of' | 'any-of' | 'not' | 'has' }>

/** Null where the version does not show a field that it names. */
const leafWords = (condition: Leaf, negated: boolean, view: View): string | null => {
  switch (condition.kind) {
    case 'compare': {
      const { left, right } = condition
      const operator = negated ? opposite[condition.operator] : condition.operator
      const [one, other] = [operandWords(left, view, right), operandWords(right, view, left)]
      return one && other && `${one} ${comparisons[operator]} ${other}`
    }
    case 'in': {
      const { operand, among } = condition
      const one = operandWords(operand, view)
      const others = among.map((other) => operandWords(other, view, operand))
      if (one === null || others.includes(null)) return null
      return `${one} is ${negated ? 'none' : 'one'} of ${[...new Set(others)].sort().join(', ')}`
    }
    case 'is-null':
    case 'is-not-null': {
      const isNot = (condition.kind === 'is-not-null') !== negated
      const one = operandWords(condition.operand, view)
      return one && `${one} is ${isNot ? 'not ' : ''}null`
    }
    case 'includes': {
      const { list, element } = condition
      const [one, all] = [operandWords(element, view), operandWords(list, view)]
      return one && all && `${one} is ${negated ? 'not ' : ''}in ${all}`
    }
  }
}

const comparisons: { readonly [C in Comparison]: string } = {
  is: 'is',
  'is-not': 'is not',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is greater than',
  gte: 'is at least',
}

/** A constant is shown as the version shows the values of the field that it is compared with. */
const operandWords = (operand: Operand, view: View, other?: Operand): string | null => {
  switch (operand.kind) {
    case 'field': {
      const shown = shownPath(operand, view)
      return shown && `\`${shown.path.join('.')}\``
    }
    case 'claim':
      return `the claim \`${operand.name}\``
    case 'subject':
      return 'the subject of the caller'
    case 'consumer':
      return 'the consumer of the caller'
    case 'now':
      return 'the present time'
    case 'constant': {
      const field = other?.kind === 'field' ? shownPath(other, view)?.field : undefined
      return `\`${JSON.stringify(field ? toShown(field, operand.value) : operand.value)}\``
    }
  }
}

interface ShownPath {
  readonly path: readonly string[]
  readonly field: ViewField
}

const shownPath = (operand: Extract<Operand, { kind: 'field' }>, from: View): ShownPath | null => {
  let view = from
  const path: string[] = []
  for (const step of operand.path) {
    const relation = view.relations
      .values()
      .find(({ relation }) => relation.kind === 'belongs-to' && relation.name === step)
    if (!relation) return null
    path.push(relation.name)
    view = relation.target()
  }
  const field = view.fields.find((one) => one.field?.name === operand.field)
  return field ? { path: [...path, field.name], field } : null
}
