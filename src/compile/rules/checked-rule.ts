import type { RuleKind } from '../../declare/rule.ts'
import type { RuleLeaf, RuleNode, RuleOperand, Rules } from '../model.ts'

/** What a rule joins by all-of and any-of. */
export const leavesOf = (node: RuleNode): readonly (RuleLeaf | Extract<RuleNode, { kind: 'has' }>)[] =>
  'of' in node ? node.of.flatMap(leavesOf) : [node]

/** All that the comparisons of a rule are made of. */
export const operandsOf = (root: RuleNode): readonly RuleOperand[] =>
  leavesOf(root).flatMap((leaf) => {
    if (leaf.kind === 'has') return []
    if (leaf.kind === 'compare') return [leaf.left, leaf.right]
    return leaf.kind === 'includes' ? [leaf.list, leaf.element] : [leaf.field]
  })

/** The rule that takes the place of one that is not declared. */
const ruleInstead: { readonly [K in RuleKind]: RuleKind | null } = {
  read: null,
  create: 'read',
  update: 'read',
  delete: 'update',
}

/** The rule that decides about a kind of call: its own, or the one in its place. */
export const effective = <T>(
  rules: { readonly [K in RuleKind]?: T | null | undefined },
  kind: RuleKind,
): T | null => {
  for (let at: RuleKind | null = kind; at !== null; at = ruleInstead[at]) {
    const rule = rules[at]
    if (rule !== undefined && rule !== null) return rule
  }
  return null
}

export const noRules: Rules = Object.freeze({ read: null, create: null, update: null, delete: null })
