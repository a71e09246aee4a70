import type { ChangeRule } from '../../declare/change.ts'
import type { Method } from '../../declare/resource.ts'
import { type RuleKind, ruleKinds } from '../../declare/rule.ts'
import { type DraftView, withView } from '../changes/view-draft.ts'
import type { View } from '../model.ts'
import { effective } from '../rules/checked-rule.ts'
import { publishedRule } from '../rules/words.ts'
import { textShape, wordFrom } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, ruleEntry } from './guide-entry.ts'
import { newerView, olderView } from './step.ts'
import { methodTraces } from './usage-traces.ts'

/**
 * Rules protect data, so a rule holds in every version from the moment it is served: an older version that kept its own would be a way
 * around it. The change declares the rule to consumers; the contract of the older version keeps the rule that it was published with.
 */
export const changeRule: ChangeKind<ChangeRule> = {
  ...usualChange,
  parameters: ['resource', 'rule'],
  options: {
    form: "changeRule('books', 'read', { why: '…' })",
    needs: { resource: textShape, rule: wordFrom(ruleKinds, 'a kind of rule') },
  },
  phase: 4,
  takeBack(draft, { resource, rule, why }, report) {
    const view = report.view(resource)
    if (!view) return null
    if (!hasRule(view, rule))
      return report.mistake(
        `${resource} has no rule for "${rule}" in the newer version.`,
        'A rule that went breaks nobody: leave this out.',
      )
    if (!why) report.mistake('it does not say why.', "Say the reason to consumers: { why: '…' }.")
    if (!report.claim(`rule ${rule} of ${resource}`)) return null
    // The contract of the older version, where there is one, says which rule it had.
    return withView(draft, resource, (one) => ({
      ...one,
      publishedRules: new Map(one.publishedRules).set(rule, null),
    }))
  },
  line: ({ resource, rule }, step) => ({
    where: `${resource}.rules.${rule}`,
    what: `rule ${wordsIn(olderView(step, resource), rule)} → ${wordsIn(newerView(step, resource), rule)}`,
  }),
  guideEntry: ({ resource, rule }, step) =>
    ruleEntry(
      `The rule for ${verbs[rule]} ${inCode(resource)} changed`,
      [[wordsIn(olderView(step, resource), rule), wordsIn(newerView(step, resource), rule)]],
      `It holds in ${step.older.name} too. ${refusals[rule]}`,
    ),
  usage: ({ resource, rule }, step) => methodTraces(step, resource, ...methods[rule]),
}

const hasRule = ({ resource, publishedRules }: DraftView, kind: RuleKind): boolean =>
  effective({ ...resource.rules, ...Object.fromEntries(publishedRules) }, kind) !== null

const wordsIn = (view: View | undefined, kind: RuleKind): string => {
  if (!view) return 'no rule'
  const rules = Object.fromEntries(ruleKinds.map((one) => [one, publishedRule(view, one)]))
  return effective<string>(rules, kind) ?? 'all rows'
}

const verbs: { readonly [K in RuleKind]: string } = {
  read: 'reading',
  create: 'creating',
  update: 'changing',
  delete: 'deleting',
}

const refusals: { readonly [K in RuleKind]: string } = {
  read: 'A row that does not satisfy it does not exist for the caller.',
  create: 'A new row that does not satisfy it is refused with 403.',
  update: 'A change of a row that does not satisfy it is refused with 403.',
  delete: 'The delete of a row that does not satisfy it is refused with 403.',
}

const methods: { readonly [K in RuleKind]: readonly Method[] } = {
  read: ['GET'],
  create: ['POST'],
  update: ['PUT', 'PATCH'],
  delete: ['DELETE'],
}
