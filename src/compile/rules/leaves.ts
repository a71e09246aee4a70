import type { Comparison, Operand } from '../../declare/condition.ts'
import { type FieldKind, kinds } from '../../kinds/kinds.ts'
import type { Note } from '../mistakes.ts'
import type { CallerValue, Constant, FieldPath, RuleNode } from '../model.ts'
import { didYouMean } from '../names/nearest.ts'
import type { Drafts, ResourceDraft } from '../resources/resource-draft.ts'
import { partSource } from './lost-parts.ts'
import { areComparable, isText, storedAs } from './rule-values.ts'

/** What leaves are made with. */
export interface LeafContext {
  readonly draft: ResourceDraft
  readonly drafts: Drafts
  readonly note: Note
  /** The one object for this value of a caller in the whole API. */
  value(of: Omit<CallerValue, 'kind'>): CallerValue
}

/** The same comparison with its sides exchanged. */
const exchanged: { readonly [C in Comparison]: Comparison } = {
  is: 'is',
  'is-not': 'is-not',
  lt: 'gt',
  lte: 'gte',
  gt: 'lt',
  gte: 'lte',
}

const isEquality = (operator: Comparison): boolean => operator === 'is' || operator === 'is-not'

/** Null where there is a mistake. */
export function compareLeaf(
  operator: Comparison,
  left: Operand,
  right: Operand,
  context: LeafContext,
): RuleNode | null {
  if (left.kind !== 'field' && right.kind === 'field')
    return compareLeaf(exchanged[operator], right, left, context)
  if (left.kind === 'field') return fieldLeaf(operator, fieldPath(left, context), right, context)
  if (left.kind === 'constant') return compareLeaf(exchanged[operator], right, left, context)
  const kind = sharedKind(left, right)
  if (kind === null)
    return context.note(
      `${partSource(left)} is compared with ${partSource(right)}, and neither has a type.`,
      'Compare a claim with a field or with a constant.',
    )
  if (isText(kind) && !isEquality(operator)) {
    // A column of texts says how they are ordered. Without one, each database has an order of its own.
    return context.note(
      `${partSource(left)} and ${partSource(right)} are texts, which have no order without a field.`,
      'Use is(…), isNot(…) or in([…]).',
    )
  }
  const other = typedValue(right, kind, false, context)
  const own = typedValue(left, kind, false, context)
  if (own?.kind !== 'caller-value' || other === null) return null
  return Object.freeze({ kind: 'compare', operator, left: own, right: other })
}

/** The kind of a comparison that reads no row: a claim takes that of the other side. */
function sharedKind(left: Operand, right: Operand): FieldKind | null {
  const of = (operand: Operand): FieldKind | null => {
    if (operand.kind === 'now') return 'datetime'
    if (operand.kind === 'subject' || operand.kind === 'consumer') return 'string'
    if (operand.kind !== 'constant') return null
    const name = typeof operand.value
    return name === 'string' || name === 'number' || name === 'boolean' ? name : null
  }
  return left.kind === 'now' ? 'datetime' : (of(right) ?? of(left))
}

function fieldLeaf(
  operator: Comparison,
  field: FieldPath,
  right: Operand,
  context: LeafContext,
): RuleNode | null {
  const { kind } = field.field
  if (kinds[kind].notQueryable !== null)
    return context.note(
      `${pathOf(field)} ${kinds[kind].notQueryable}.`,
      'Such a field can only be asked for isNull() and isNotNull().',
    )
  if (!isEquality(operator) && !kinds[kind].isOrdered)
    return context.note(
      `${pathOf(field)} is of kind ${kind}, whose values have no order.`,
      'Use is(…), isNot(…) or in([…]).',
    )
  if (right.kind !== 'field') {
    const other = typedValue(right, kind, false, context, field)
    return other && Object.freeze({ kind: 'compare', operator, left: field, right: other })
  }
  const other = fieldPath(right, context)
  if (areComparable(kind, other.field.kind))
    return Object.freeze({ kind: 'compare', operator, left: field, right: other })
  return context.note(
    `${pathOf(field)} is of kind ${kind} and ${pathOf(other)} of kind ${other.field.kind}: they cannot be compared.`,
    'Compare fields of one kind.',
  )
}

/** `caller.claim('branches').includes(row.branch_id)`. */
export function includesLeaf(
  listed: Operand,
  element: Operand,
  negated: boolean,
  context: LeafContext,
): RuleNode | null {
  if (listed.kind !== 'claim')
    return context.note(`${partSource(listed)} is not a list.`, "Write caller.claim('…').includes(…).")
  const field = element.kind === 'field' ? fieldPath(element, context) : null
  const kind = field ? field.field.kind : sharedKind(listed, element)
  if (kind === null)
    return context.note(
      'a claim is compared with a claim, and neither has a type.',
      'Name a field or a constant.',
    )
  if (field && kinds[kind].notQueryable !== null)
    return context.note(`${pathOf(field)} ${kinds[kind].notQueryable}.`, 'Name another field.')
  const list = typedValue(listed, kind, true, context)
  const own = field ?? typedValue(element, kind, false, context)
  return list?.kind === 'caller-value' && own
    ? Object.freeze({ kind: 'includes', list, element: own, negated })
    : null
}

export function nullLeaf(operand: Operand, negated: boolean, context: LeafContext): RuleNode | null {
  if (operand.kind === 'field')
    return Object.freeze({ kind: 'null', field: fieldPath(operand, context), negated })
  return context.note(
    `${partSource(operand)} is asked for null, and what is absent in a caller must open nothing.`,
    'Ask a field of the row.',
  )
}

/** The recorder has found the names. */
function fieldPath(operand: Extract<Operand, { kind: 'field' }>, { draft, drafts }: LeafContext): FieldPath {
  let at = draft
  const path = operand.path.map((name) => {
    const relation = at.belongsTo.get(name)
    const target = relation && drafts.get(relation.target.name)
    if (!target) throw new Error(`${name} is no to-one relation of ${at.declaration.name}`)
    at = target
    return relation
  })
  const field = at.fields.get(operand.field)
  if (!field) throw new Error(`${operand.field} is no field of ${at.declaration.name}`)
  return Object.freeze({ kind: 'field', path: Object.freeze(path), field })
}

const pathOf = ({ path, field }: FieldPath): string =>
  ['row', ...path.map(({ name }) => name), field.name].join('.')

/** A constant or something about the caller, as a value of a kind; null, with a mistake, where it cannot be one. */
function typedValue(
  operand: Operand,
  as: FieldKind,
  isList: boolean,
  { note, value }: LeafContext,
  field?: FieldPath,
): CallerValue | Constant | null {
  const where = field ? pathOf(field) : `a value of kind ${as}`
  switch (operand.kind) {
    case 'constant':
      return constantOf(operand.value, as, where, field, note)
    case 'claim':
      if (typeof operand.name === 'string' && claimName.test(operand.name))
        return value({ source: 'claim', name: operand.name, as, isList })
      return note(
        `${JSON.stringify(operand.name)} is not the name of a claim.`,
        "Write caller.claim('member_id').",
      )
    case 'now':
      if (kinds[as].atTime) return value({ source: 'now', name: '', as, isList })
      return note(`${where} is compared with now(), and is no time.`, 'Compare a date or a time with it.')
    case 'subject':
    case 'consumer':
      if (isText(as)) return value({ source: operand.kind, name: '', as, isList })
      return note(
        `${where} is compared with ${partSource(operand)}, which is a text.`,
        'Compare a text with it.',
      )
    case 'field':
      throw new Error('a field is no value')
  }
}

const claimName = /^[^.\0][^\0]{0,199}$/

function constantOf(
  value: unknown,
  as: FieldKind,
  where: string,
  field: FieldPath | undefined,
  note: Note,
): Constant | null {
  const comparedWith = typeof value === 'string' ? JSON.stringify(value) : String(value)
  if (value === null || value === undefined)
    return note(
      `${where} is compared with ${comparedWith}, which no value equals.`,
      'Use isNull() or isNotNull().',
    )
  const stored = storedAs(as, value)
  const choices = field && kinds[as].listsValues ? (field.field.schema.enum ?? []) : null
  if (stored === undefined)
    return note(
      `${where} is compared with ${comparedWith}, which is no value of kind ${as}.`,
      'Write a value that the field can have.',
    )
  if (choices && !choices.includes(stored))
    return note(`${comparedWith} is not a value of ${where}.`, didYouMean(String(value), choices.map(String)))
  return Object.freeze({ kind: 'constant', value: stored, as })
}
