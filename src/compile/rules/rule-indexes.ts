import { kinds } from '../../kinds/kinds.ts'
import type { Model } from '../model.ts'
import type { FieldPath, RowLeaf, RuleNode } from './rule.ts'

/** Whether an index on the row's own field finds the rows for which the leaf holds. */
const isServed = (leaf: RowLeaf): boolean => {
  if (leaf.field.path.length > 0 || kinds[leaf.field.field.kind].notQueryable !== null) return false
  return leaf.kind === 'compare' ? leaf.operator !== 'is-not' && leaf.other.kind !== 'field' : !leaf.negated
}

const rowLeaves = (node: RuleNode): readonly RowLeaf[] => {
  switch (node.kind) {
    case 'all-of':
    case 'any-of':
      return node.of.flatMap(rowLeaves)
    case 'has':
    case 'caller-compare':
    case 'caller-includes':
      return []
    default:
      return [node]
  }
}

/** The fields by which an index finds the rows that a rule lets through. */
export const ruleFields = (root: RuleNode): readonly string[] =>
  rowLeaves(root)
    .filter(isServed)
    .map(({ field }) => field.field.name)

/**
 * The leaves for which a store reads rows one by one. Of conditions that all must hold, an index for one is enough; of alternatives,
 * each needs its own. Conditions on the caller are decided before the statement is planned, so they find no rows.
 */
function unserved(node: RuleNode): readonly RowLeaf[] {
  if (node.kind !== 'all-of') return node.kind === 'any-of' ? node.of.flatMap(unserved) : leafUnserved(node)
  const parts = node.of.filter((part) => rowLeaves(part).length > 0).map(unserved)
  return parts.some((leaves) => leaves.length === 0) ? [] : parts.flat()
}

const leafUnserved = (node: RuleNode): readonly RowLeaf[] => rowLeaves(node).filter((leaf) => !isServed(leaf))

/** For each rule that no index serves: where it is declared, and what it means for lists. */
export const unindexedRules = ({ resources }: Model): readonly string[] =>
  [...resources.values()].flatMap(({ name, rules }) =>
    (rules.read ? unserved(rules.read.root) : []).map(
      ({ field }) =>
        `${name}.rules.read: no index finds rows by row.${pathText(field)} as the rule asks for it, so lists read the ${name} of the account one by one. Keep the value in a field of ${name}, or join the condition by allOf with one on such a field.`,
    ),
  )

const pathText = ({ path, field }: FieldPath): string => [...path, field].map(({ name }) => name).join('.')
