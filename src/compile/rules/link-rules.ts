import type { ApiDeclaration } from '../../declare/api.ts'
import { type ConditionData, type RuleData, recordMade } from '../../declare/condition.ts'
import { callerTerms, type RuleKind, ruleKinds } from '../../declare/rule.ts'
import type { MistakeList, Note } from '../mistakes.ts'
import type { CallerValue, Rule, RuleNode } from '../model.ts'
import type { Drafts, ResourceDraft } from '../resources/resource-draft.ts'
import { askableScopes, checkAsked } from '../service/declared-scopes.ts'
import { leavesOf, noRules, operandsOf } from './checked-rule.ts'
import { foreignFields, lostParts } from './lost-parts.ts'
import { type ConditionContext, isCondition, normalForm, notACondition } from './normal-form.ts'
import { rowTerms } from './rule-recorder.ts'
import { isSoundSource } from './rule-source.ts'
import { type RepeatableRun, skippedBy } from './skipped-parts.ts'

/** Runs and checks all rules. The fields of all resources must be known. */
export const linkRules = (declaration: ApiDeclaration, drafts: Drafts, mistakes: MistakeList): void => {
  const scopes = askableScopes(declaration)
  const values = new Map<string, CallerValue>()
  const value = (of: Omit<CallerValue, 'kind'>): CallerValue => {
    const key = JSON.stringify([of.source, of.name, of.as, of.isList])
    const known = values.get(key) ?? Object.freeze({ kind: 'caller-value', ...of })
    values.set(key, known)
    return known
  }
  for (const draft of drafts.values()) {
    const declared = draft.declaration.rules
    if (declared === undefined) continue
    const rules: { [K in RuleKind]: Rule | null } = { ...noRules }
    for (const kind of ruleKinds) {
      const write = declared[kind] as Written | undefined
      const where = `${draft.declaration.name}.rules.${kind}`
      const note = mistakes.at(where)
      const checkScope = (scope: unknown) => checkAsked(String(scope), scopes, where, mistakes)
      if (!write || !isSoundSource(write, note)) continue
      const record = recorded(write, draft, drafts, note)
      if (record) rules[kind] = checkedRule(kind, record, { draft, drafts, note, value, checkScope })
    }
    draft.model.rules = Object.freeze(rules)
  }
}

type Written = (of: object) => unknown

const nothing = (): null => null

/** Runs a rule over recorders; null where it names what does not exist, or throws. */
function recorded(write: Written, draft: ResourceDraft, drafts: Drafts, note: Note): RepeatableRun | null {
  let whole = true
  const row = rowTerms(draft, drafts, note, () => {
    whole = false
  })
  try {
    const record = recordMade(() => write({ row, caller: callerTerms }))
    if (!whole) return null
    const quiet = rowTerms(draft, drafts, nothing, nothing)
    return { ...record, again: (given = {}) => write({ row: quiet, caller: callerTerms, ...given }) }
  } catch (error) {
    if (!whole) return null
    return note(
      `it threw ${error}.`,
      'A rule runs once, when the API is compiled. Write it like this: ({ row, caller }) => row.owner.is(caller.subject).',
    )
  }
}

/** Null where there is a mistake. */
function checkedRule(kind: RuleKind, record: RepeatableRun, context: ConditionContext): Rule | null {
  const { result, parts } = record
  if (typeof result !== 'boolean' && !isCondition(result)) return notACondition(result, context.note)
  const condition = typeof result === 'boolean' ? null : result
  if (!isWholeSaid(record, condition, context.note)) return null
  if (condition === null) return ruleOf(kind, ...constantRule(result === true))
  const foreign = foreignFields(parts, condition)
  for (const field of foreign)
    context.note(
      `${field} is a field of the row of another rule.`,
      'Make the condition within this rule: a function of row and caller can be shared.',
    )
  const root = foreign.length === 0 ? normalForm(condition, false, context) : null
  return root && ruleOf(kind, condition, root)
}

/** Whether the result says all that the rule does. */
function isWholeSaid(record: RepeatableRun, condition: ConditionData | null, note: Note): boolean {
  const lost = lostParts(record.parts, condition)
  for (const part of lost)
    note(
      `${part} is made, and is not part of what the rule returns.`,
      'Join conditions by allOf(…) and anyOf(…), turn one around by not(…), and return the whole.',
    )
  if (lost.length > 0) return false
  const skipped = skippedBy(record)
  if (skipped !== null)
    note(
      `the rule, or a function that it calls, goes on in another way without ${skipped}: JavaScript takes it for true, and never makes what would follow.`,
      'Write allOf(…, …), anyOf(…, …) and not(…), in place of ||, ?? and the like.',
    )
  return skipped === null
}

/** A rule that holds for every row, or for none: all of no conditions hold, and one of no conditions does not. */
const constantRule = (holds: boolean): readonly [RuleData, RuleNode] => [
  Object.freeze({ kind: holds ? 'always' : 'never' }),
  Object.freeze({ kind: holds ? 'all-of' : 'any-of', of: Object.freeze([]) }),
]

const ruleOf = (kind: RuleKind, condition: RuleData, root: RuleNode): Rule =>
  Object.freeze({
    kind,
    condition,
    root,
    scopes: [...new Set(leavesOf(root).flatMap((leaf) => (leaf.kind === 'has' ? leaf.scope : [])))].sort(),
    callerValues: [...new Set(operandsOf(root).filter((operand) => operand.kind === 'caller-value'))],
  })
