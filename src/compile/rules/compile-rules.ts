import type { ApiDeclaration } from '../../declare/api.ts'
import type { ConditionData } from '../../declare/condition.ts'
import { callerTerms, type RuleKind, ruleKinds } from '../../declare/rule.ts'
import { askableScopes, checkAsked } from '../declared-scopes.ts'
import type { MistakeList } from '../mistakes.ts'
import type { Drafts, ResourceDraft } from '../resource-draft.ts'
import { type CallerValue, noRules, operandsOf, type Rule, type RuleNode } from './checked-rule.ts'
import { normalForm } from './normal-form.ts'
import { type Note, rowTerms } from './rule-recorder.ts'

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
      const note = (what: string, hint: string) => mistakes.add(where, what, hint)
      const checkScope = (scope: unknown) => checkAsked(String(scope), scopes, where, mistakes)
      const record = write && recorded(write, draft, drafts, note)
      if (!record) continue
      const root = normalForm(record.condition, false, { draft, drafts, note, value, checkScope })
      if (root) rules[kind] = ruleOf(kind, record.condition as ConditionData, root)
    }
    draft.model.rules = Object.freeze(rules)
  }
}

type Written = (of: object) => unknown

/** Runs a rule over recorders; null where it names what does not exist, or throws. */
function recorded(
  write: Written,
  draft: ResourceDraft,
  drafts: Drafts,
  note: Note,
): { readonly condition: unknown } | null {
  let whole = true
  const row = rowTerms(draft, drafts, note, () => {
    whole = false
  })
  try {
    const condition = write({ row, caller: callerTerms })
    return whole ? { condition } : null
  } catch (error) {
    if (!whole) return null
    return note(
      `it threw ${error}.`,
      'A rule runs once, when the API is compiled, and returns a condition such as row.owner.is(caller.subject).',
    )
  }
}

const ruleOf = (kind: RuleKind, condition: ConditionData, root: RuleNode): Rule => {
  return Object.freeze({
    kind,
    condition,
    root,
    scopes: [...new Set(scopesOf(root))].sort(),
    callerValues: [...new Set(operandsOf(root).filter((operand) => operand.kind === 'caller-value'))],
  })
}

const scopesOf = (node: RuleNode): readonly string[] => {
  if (node.kind === 'all-of' || node.kind === 'any-of') return node.of.flatMap(scopesOf)
  return node.kind === 'has' ? [node.scope] : []
}
