import type { Comparison, Operand, RuleData } from '../../src/declare/condition.ts'
import { compareValues } from './list-order.ts'

/** A row as it is stored, with the rows that it belongs to within reach. */
export interface JudgedRow {
  readonly values: { readonly [field: string]: unknown }
  /** The row that a to-one relation leads to, or null. */
  related(relation: string): JudgedRow | null
  /** The kind of a field's values. */
  kindOf(field: string): RuleKindOfValue
}

export type RuleKindOfValue =
  | 'integer'
  | 'number'
  | 'string'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'decimal'
  | 'enum'
  | 'id'

export interface JudgedCaller {
  readonly scopes: readonly string[]
  readonly claims: { readonly [name: string]: unknown }
  readonly subject: string | null
  readonly consumer: string
}

export interface Judged {
  readonly row: JudgedRow
  readonly caller: JudgedCaller
  readonly now: string
}

/**
 * What a rule says of a row, written as plainly as possible. A comparison with something that is not there is neither true nor
 * untrue (null), and stays so under `not`; only true lets a row through.
 */
export function judge(rule: RuleData, judged: Judged): boolean | null {
  switch (rule.kind) {
    case 'always':
    case 'never':
      return rule.kind === 'always'
    case 'all-of': {
      const parts = rule.of.map((part) => judge(part, judged))
      return parts.includes(false) ? false : parts.includes(null) ? null : true
    }
    case 'any-of': {
      const parts = rule.of.map((part) => judge(part, judged))
      return parts.includes(true) ? true : parts.includes(null) ? null : false
    }
    case 'not': {
      const inner = judge(rule.of, judged)
      return inner === null ? null : !inner
    }
    case 'has':
      return judged.caller.scopes.includes(rule.scope) || judged.caller.scopes.includes('*')
    case 'compare':
      return compare(rule.operator, rule.left, rule.right, judged)
    case 'in': {
      const parts = rule.among.map((one) => compare('is', rule.operand, one, judged))
      return parts.includes(true) ? true : parts.includes(null) ? null : false
    }
    case 'is-null':
    case 'is-not-null': {
      const isNull = fieldValue(rule.operand, judged) === null
      return isNull === (rule.kind === 'is-null')
    }
    case 'includes':
      return includes(rule.list, rule.element, judged)
  }
}

/** Whether the rule can hold for some row, as far as the caller's scopes decide that. */
export function canHold(rule: RuleData, caller: JudgedCaller, negated = false): boolean {
  switch (rule.kind) {
    case 'never':
      return false
    case 'all-of':
    case 'any-of': {
      const isAll = (rule.kind === 'all-of') !== negated
      return rule.of[isAll ? 'every' : 'some']((part) => canHold(part, caller, negated))
    }
    case 'not':
      return canHold(rule.of, caller, !negated)
    case 'has':
      return (caller.scopes.includes(rule.scope) || caller.scopes.includes('*')) !== negated
    default:
      return true
  }
}

function compare(operator: Comparison, left: Operand, right: Operand, judged: Judged): boolean | null {
  const kind = kindOf(left, judged) ?? kindOf(right, judged) ?? 'string'
  const [one, other] = [operandValue(left, kind, judged), operandValue(right, kind, judged)]
  if (one === null || other === null) return null
  const order = inOrder(kind, one, other)
  switch (operator) {
    case 'is':
      return order === 0
    case 'is-not':
      return order !== 0
    case 'lt':
      return order < 0
    case 'lte':
      return order <= 0
    case 'gt':
      return order > 0
    case 'gte':
      return order >= 0
  }
}

const mostElements = 1000

function includes(list: Operand, element: Operand, judged: Judged): boolean | null {
  const kind = kindOf(element, judged) ?? 'string'
  const value = operandValue(element, kind, judged)
  const claim = list.kind === 'claim' ? claimOf(list.name, judged.caller) : null
  if (value === null || !Array.isArray(claim) || claim.length > mostElements) return null
  const parts = claim.map((one) => {
    const fitting = asKind(kind, one)
    return fitting === null ? null : inOrder(kind, fitting, value) === 0
  })
  // An element of another type leaves it in doubt that the list does not have the value.
  return parts.includes(true) ? true : parts.includes(null) ? null : false
}

const inOrder = (kind: RuleKindOfValue, one: unknown, other: unknown): number => {
  if (kind === 'decimal') return Number(one) - Number(other)
  // A text that looks like a decimal is a text all the same.
  if (kind === 'string') return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
  return compareValues(one, other)
}

/** Null also where a relation on the way leads nowhere. */
function fieldValue(operand: Operand, { row }: Judged): unknown {
  if (operand.kind !== 'field') return null
  let at: JudgedRow | null = row
  for (const relation of operand.path) at = at?.related(relation) ?? null
  return at?.values[operand.field] ?? null
}

function kindOf(operand: Operand, { row }: Judged): RuleKindOfValue | null {
  switch (operand.kind) {
    case 'field':
      return row.kindOf(operand.field)
    case 'now':
      return 'datetime'
    case 'constant':
      return constantKinds[typeof operand.value] ?? null
    default:
      return null
  }
}

const constantKinds: { readonly [type: string]: RuleKindOfValue } = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
}

function operandValue(operand: Operand, kind: RuleKindOfValue, judged: Judged): unknown {
  switch (operand.kind) {
    case 'field':
      return fieldValue(operand, judged)
    case 'claim':
      return asKind(kind, claimOf(operand.name, judged.caller))
    case 'subject':
      return judged.caller.subject
    case 'consumer':
      return judged.caller.consumer
    case 'now':
      return judged.now
    case 'constant':
      return operand.value
  }
}

const claimOf = (name: string, { claims }: JudgedCaller): unknown => {
  let at: unknown = claims
  for (const step of name.split('.'))
    at =
      typeof at === 'object' && at !== null && !Array.isArray(at)
        ? Object.entries(at).find(([key]) => key === step)?.[1]
        : undefined
  return at ?? null
}

/** JavaScript reads 2026-02-30 as the second of March, and 2026-13-45 as no date at all. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** The claim as a value of the kind, or null where it is none. */
function asKind(kind: RuleKindOfValue, value: unknown): unknown {
  switch (kind) {
    case 'integer':
      return Number.isSafeInteger(value) ? value : null
    case 'number':
      return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' && isDay(value) ? value : null
    case 'datetime':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)
        ? new Date(value).toISOString()
        : null
    case 'decimal':
      return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? value : null
    default:
      return typeof value === 'string' && !value.includes('\0') ? value : null
  }
}
