import { kinds } from '../../kinds/kinds.ts'
import type { FieldPath, Model, RuleLeaf, RuleNode } from '../model.ts'
import { leavesOf } from './checked-rule.ts'

/** The field of the row that a leaf asks for; null where it asks only for the caller. */
const fieldOf = (leaf: RuleLeaf): FieldPath | null => {
  if (leaf.kind === 'in' || leaf.kind === 'null') return leaf.field
  const operand = leaf.kind === 'compare' ? leaf.left : leaf.element
  return operand.kind === 'field' ? operand : null
}

/** Whether an index on the row's own field finds the rows for which the leaf holds. */
const isServed = (leaf: RuleLeaf): boolean => {
  const field = fieldOf(leaf)
  if (!field || field.path.length > 0 || kinds[field.field.kind].notQueryable !== null) return false
  return leaf.kind === 'compare' ? leaf.operator !== 'is-not' && leaf.right.kind !== 'field' : !leaf.negated
}

/** All leaves but scopes, which are decided before the statement is planned. */
const conditionsOf = (node: RuleNode): readonly RuleLeaf[] =>
  leavesOf(node).filter((leaf) => leaf.kind !== 'has')

const asksRows = (node: RuleNode): boolean => conditionsOf(node).some((leaf) => fieldOf(leaf) !== null)

/** The fields by which an index finds the rows that a rule lets through. */
export const ruleFields = (root: RuleNode): readonly string[] =>
  conditionsOf(root)
    .filter(isServed)
    .flatMap((leaf) => fieldOf(leaf)?.field.name ?? [])

/**
 * The leaves for which a store reads rows one by one. Of conditions that all must hold, an index for one is enough; of alternatives,
 * each needs its own. A condition on the caller alone finds no rows: it does no harm unless it is an alternative to one that does.
 */
function unserved(node: RuleNode): readonly RuleLeaf[] {
  if (!asksRows(node)) return []
  switch (node.kind) {
    case 'all-of': {
      const parts = node.of.filter(asksRows).map(unserved)
      return parts.some((leaves) => leaves.length === 0) ? [] : parts.flat()
    }
    case 'any-of':
      return node.of.flatMap((part) => (asksRows(part) ? unserved(part) : conditionsOf(part)))
    default:
      return conditionsOf(node).filter((leaf) => !isServed(leaf))
  }
}

/** For each declared rule that no index serves: where it is, and what it means for lists. */
export const unindexedRules = ({ resources }: Model): readonly string[] =>
  [...resources.values()].flatMap(({ name, rules, engineMade }) =>
    (rules.read && !engineMade ? unserved(rules.read.root) : []).map((leaf) => {
      const field = fieldOf(leaf)
      const slow = `so lists read the ${name} of the account one by one.`
      return field
        ? `${name}.rules.read: no index finds rows by row.${pathText(field)} as the rule asks for it, ${slow} Keep the value in a field of ${name}, or join the condition by allOf with one on such a field.`
        : `${name}.rules.read: a condition on a claim alone is an alternative to conditions on the row, ${slow} Ask for a scope instead, which is decided before the rows are read.`
    }),
  )

const pathText = ({ path, field }: FieldPath): string => [...path, field].map(({ name }) => name).join('.')
