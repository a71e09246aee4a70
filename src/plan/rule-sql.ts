import { type Grants, holds } from '../call/grants.ts'
import type {
  BelongsToModel,
  CallerValue,
  Constant,
  FieldPath,
  Rule,
  RuleLeaf,
  RuleNode,
  RuleOperand,
} from '../compile/model.ts'
import type { Comparison } from '../declare/condition.ts'
import type { FieldKind } from '../kinds/kinds.ts'
import { shownColumn } from './absent-values.ts'
import { type Dialect, ident } from './dialect.ts'
import { comparableSql, declaredSql, referenceColumn } from './stored-values.ts'

/** What the SQL of a rule is written with. */
interface Writing {
  readonly dialect: Dialect
  alias(): string
  use(slot: CallerValue, kind: FieldKind): string
  account(shared: boolean, alias: string): string
}

/** Whether a rule holds for every row, for none, or as its condition says: the caller's scopes decide a part of it beforehand. */
export function decidedByScopes(node: RuleNode, grants: Grants): RuleNode | boolean {
  if (node.kind === 'has') return holds(grants, node.scope) !== node.negated
  if (node.kind !== 'all-of' && node.kind !== 'any-of') return node
  const neutral = node.kind === 'all-of'
  const parts: RuleNode[] = []
  for (const part of node.of) {
    const one = decidedByScopes(part, grants)
    if (one === !neutral) return one
    if (typeof one !== 'boolean') parts.push(one)
  }
  const [first] = parts
  if (first === undefined) return neutral
  return parts.length === 1 ? first : { kind: node.kind, of: parts }
}

/** The condition of a rule on a row, in brackets where it needs them; null where it holds for every row. */
export function ruleSql(rule: Rule, grants: Grants, alias: string, writing: Writing): string | null {
  const node = decidedByScopes(rule.root, grants)
  if (typeof node === 'boolean') return node ? null : '1 = 0'
  return nodeSql(node, alias, writing)
}

function nodeSql(node: RuleNode, alias: string, writing: Writing): string {
  switch (node.kind) {
    case 'all-of':
    case 'any-of': {
      const word = node.kind === 'all-of' ? ' AND ' : ' OR '
      return `(${node.of.map((part) => nodeSql(part, alias, writing)).join(word)})`
    }
    case 'has':
      throw new Error(`the scope ${node.scope} is decided before the statement`)
    default:
      return leafSql(node, alias, writing)
  }
}

const signs: { readonly [C in Comparison]: string } = {
  is: '=',
  'is-not': '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}

/** Every leaf is NULL or false where a value is missing, never true. */
function leafSql(leaf: RuleLeaf, alias: string, writing: Writing): string {
  switch (leaf.kind) {
    case 'compare': {
      const { left, right, operator } = leaf
      if (left.kind === 'field' && right.kind === 'constant') {
        const value = constantSql(left, right, writing)
        return onColumn(left, alias, writing, (column) => `${column} ${signs[operator]} ${value}`)
      }
      return withOperand(left, alias, writing, (one) =>
        withOperand(right, alias, writing, (other) => `${one} ${signs[operator]} ${other}`),
      )
    }
    case 'in': {
      const values = leaf.values.map((value) => constantSql(leaf.field, value, writing)).join(', ')
      const word = leaf.negated ? 'NOT IN' : 'IN'
      return onColumn(leaf.field, alias, writing, (column) => `${column} ${word} (${values})`)
    }
    case 'null': {
      const { path, field } = leaf.field
      if (!leaf.negated) return nullSql(path, field, alias, writing)
      return onPath(path, field, alias, writing, (value) => `${value} IS NOT NULL`)
    }
    case 'includes': {
      const list = writing.use(leaf.list, 'json')
      const elements = writing.dialect.listedAs(list, leaf.list.as)
      return withOperand(leaf.element, alias, writing, (element) =>
        leaf.negated
          ? `(${list} IS NOT NULL AND ${element} IS NOT NULL AND ${element} NOT IN (${elements}))`
          : `${element} IN (${elements})`,
      )
    }
  }
}

/** A constant as the column of a field has it. */
const constantSql = ({ field }: FieldPath, { value, as }: Constant, { dialect }: Writing): string =>
  dialect.constant(field.stored?.up.get(String(value)) ?? value, as)

/** Writes a condition on a column as it is stored, so that an index can serve it. */
const onColumn = (
  { path, field }: FieldPath,
  alias: string,
  writing: Writing,
  condition: (sql: string) => string,
): string => onPath(path, field, alias, writing, (column) => condition(comparableSql(field, column)))

/** Writes a condition on an operand. Where relations lead to it, the condition is on a row that exists there. */
function withOperand(
  operand: RuleOperand,
  alias: string,
  writing: Writing,
  condition: (sql: string) => string,
): string {
  if (operand.kind === 'caller-value') return condition(writing.use(operand, operand.as))
  if (operand.kind === 'constant') return condition(writing.dialect.constant(operand.value, operand.as))
  const { path, field } = operand
  return onPath(path, field, alias, writing, (column) => condition(declaredSql(field, column)))
}

function onPath(
  [step, ...rest]: readonly BelongsToModel[],
  field: FieldPath['field'],
  alias: string,
  writing: Writing,
  condition: (sql: string) => string,
): string {
  if (step === undefined) return condition(shownColumn(field, alias, writing))
  return onRelated(step, alias, writing, (inner) => onPath(rest, field, inner, writing, condition))
}

/**
 * A path is null as well where a reference is. A reference to a row that is gone, which an event may still have, says nothing: the row
 * may have had a value.
 */
function nullSql(
  [step, ...rest]: readonly BelongsToModel[],
  field: FieldPath['field'],
  alias: string,
  writing: Writing,
): string {
  if (step === undefined) return `${shownColumn(field, alias, writing)} IS NULL`
  const isNullThere = onRelated(step, alias, writing, (inner) => nullSql(rest, field, inner, writing))
  return `(${alias}${ident(referenceColumn(step))} IS NULL OR ${isNullThere})`
}

/** Whether there is a row that the relation leads to, and the condition holds for it. */
function onRelated(
  step: BelongsToModel,
  alias: string,
  writing: Writing,
  condition: (alias: string) => string,
): string {
  const { target } = step
  const inner = writing.alias()
  const where = `${writing.account(target.shared, inner)}${inner}"id" = ${alias}${ident(referenceColumn(step))}`
  return `EXISTS (SELECT 1 FROM ${ident(target.table)} ${inner.slice(0, -1)} WHERE ${where} AND ${condition(inner)})`
}
