import type { ContractResource, RowRules } from '../../compile/contract-format.ts'
import { effective } from '../../compile/rules/checked-rule.ts'
import { type RuleKind, ruleKinds } from '../../declare/rule.ts'
import { additive, breaking, type Difference, type Differences } from './difference.ts'

export const rowRule = 'row rule'

/** A rule that is new or changed alters who is let in; one that went lets in whom it refused. */
export const compareRowRules = (
  resource: string,
  { row_rules: from = {} }: ContractResource,
  { row_rules: to = {} }: ContractResource,
): Differences =>
  ruleKinds.flatMap((kind) => {
    const found = compareRule(kind, from, to)
    const subject = { kind: rowRule, resource, name: kind, from: from[kind], to: to[kind] }
    return found ? [{ ...found, part: 'rule', where: `${resource}.rules.${kind}`, subject }] : []
  })

const compareRule = (
  kind: RuleKind,
  from: RowRules,
  to: RowRules,
): Pick<Difference, 'verdict' | 'what'> | null => {
  const [before, after] = [from[kind], to[kind]]
  // Where a rule is only spelled out, or was said twice, nothing changes for callers.
  if (before === after || effective(from, kind) === effective(to, kind)) return null
  if (after === undefined) return goneRule(kind, effective(to, kind))
  if (before === undefined) return { verdict: breaking, what: `rule is new: ${after}` }
  return { verdict: breaking, what: `rule changed: ${before} became ${after}` }
}

/**
 * The rule that takes the place of one that went may be narrower. A row is updated only where it may be read, so without a rule of its own
 * an update is never refused more often.
 */
const goneRule = (kind: RuleKind, instead: string | null): Pick<Difference, 'verdict' | 'what'> =>
  instead === null || kind === 'update'
    ? { verdict: additive, what: 'rule went' }
    : { verdict: breaking, what: `rule went, and another takes its place: ${instead}` }
