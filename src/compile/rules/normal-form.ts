import type { Comparison, ConditionData } from '../../declare/condition.ts'
import type { Note } from '../mistakes.ts'
import type { Constant, FieldPath, RuleNode } from '../model.ts'
import { compareLeaf, includesLeaf, type LeafContext, nullLeaf } from './leaves.ts'

/** What holds where a comparison does not. */
export const opposite: { readonly [C in Comparison]: Comparison } = {
  is: 'is-not',
  'is-not': 'is',
  lt: 'gte',
  lte: 'gt',
  gt: 'lte',
  gte: 'lt',
}

/** What a condition is made with, and how a scope is checked. */
export interface ConditionContext extends LeafContext {
  checkScope(scope: unknown): void
}

/** Negation normal form: `not` is pushed down to the leaves. Null where there is a mistake; all mistakes are noted. */
export function normalForm(condition: unknown, negated: boolean, context: ConditionContext): RuleNode | null {
  if (!isCondition(condition)) return notACondition(condition, context.note)
  switch (condition.kind) {
    case 'all-of':
    case 'any-of':
      return joined(condition, negated, context)
    case 'not':
      return normalForm(condition.of, !negated, context)
    case 'has':
      context.checkScope(condition.scope)
      return Object.freeze({ kind: 'has', scope: condition.scope, negated })
    case 'compare': {
      const { operator, left, right } = condition
      return compareLeaf(negated ? opposite[operator] : operator, left, right, context)
    }
    case 'in':
      return among(condition, negated, context)
    case 'is-null':
    case 'is-not-null':
      return nullLeaf(condition.operand, (condition.kind === 'is-not-null') !== negated, context)
    case 'includes':
      return includesLeaf(condition.list, condition.element, negated, context)
  }
}

const conditionKinds: ReadonlySet<unknown> = new Set<ConditionData['kind']>([
  'all-of',
  'any-of',
  'not',
  'has',
  'compare',
  'in',
  'is-null',
  'is-not-null',
  'includes',
])

export const notACondition = (value: unknown, note: Note): null =>
  note(
    `${JSON.stringify(value) ?? String(value)} is not a condition.`,
    "Write comparisons such as row.member_id.is(caller.claim('member_id')), joined by allOf and anyOf, and return them.",
  )

export const isCondition = (value: unknown): value is ConditionData =>
  typeof value === 'object' && value !== null && 'kind' in value && conditionKinds.has(value.kind)

type Of<K extends ConditionData['kind']> = Extract<ConditionData, { kind: K }>

function joined(
  { kind, of }: Of<'all-of' | 'any-of'>,
  negated: boolean,
  context: ConditionContext,
): RuleNode | null {
  if (of.length === 0)
    return context.note(`${kind === 'all-of' ? 'allOf' : 'anyOf'}() has no conditions.`, 'Name at least one.')
  const parts = of.map((part) => normalForm(part, negated, context))
  const isAll = (kind === 'all-of') !== negated
  return parts.every((part) => part !== null) ? joinedNode(isAll ? 'all-of' : 'any-of', parts) : null
}

const joinedNode = (kind: 'all-of' | 'any-of', of: readonly RuleNode[]): RuleNode => {
  const [first] = of
  return first && of.length === 1 ? first : Object.freeze({ kind, of: Object.freeze(of) })
}

/** `in` is one leaf where all values are constants and a field is asked; otherwise it is one comparison for each value. */
function among({ operand, among }: Of<'in'>, negated: boolean, context: ConditionContext): RuleNode | null {
  if (among.length === 0) return context.note('in([]) has no values.', 'Name at least one.')
  const operator = negated ? 'is-not' : 'is'
  const parts = among.map((other) => compareLeaf(operator, operand, other, context))
  if (!parts.every((part) => part !== null)) return null
  const field = constantField(parts)
  if (field) return Object.freeze({ kind: 'in', ...field, negated })
  return joinedNode(negated ? 'all-of' : 'any-of', parts)
}

function constantField(
  parts: readonly RuleNode[],
): { readonly field: FieldPath; readonly values: readonly Constant[] } | null {
  const values: Constant[] = []
  for (const part of parts) {
    if (part.kind !== 'compare' || part.right.kind !== 'constant') return null
    values.push(part.right)
  }
  const [first] = parts
  return first?.kind === 'compare' && first.left.kind === 'field' ? { field: first.left, values } : null
}
