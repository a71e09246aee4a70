import type { SubCollection, View } from '../../compile/model.ts'
import { effective } from '../../compile/rules/checked-rule.ts'
import { constantWords, ruleWords } from '../../compile/rules/words.ts'
import type { Method } from '../../declare/resource.ts'
import { type RuleKind, ruleKinds } from '../../declare/rule.ts'
import { uniquesOf } from '../contract.ts'
import { stateRulesOf } from '../state-rules.ts'
import { words } from './document-names.ts'

/** The rules of an operation that its schemas cannot express, in sentences. */
export const rulesText = (view: View, method: Method, scope: string, sub: SubCollection | null): string =>
  [
    ...methodRules(view, method),
    ...rowRules(view, method),
    ...ownerRule(view, sub),
    ...joinRule(sub),
    scopeRule(scope),
  ].join(' ')

/** Which rows a caller may read or write with the method: the rules that hold, in every version. */
const rowRules = (view: View, method: Method): string[] => {
  const rules = Object.fromEntries(
    ruleKinds.map((kind) => [kind, ruleWords(view.totals?.of() ?? view, kind)]),
  )
  const sentenceOf = (kind: RuleKind, never: string, sentence: (words: string) => string): string[] => {
    const words = effective<string>(rules, kind)
    if (words === constantWords.never) return [never]
    return words === null || words === constantWords.always ? [] : [sentence(words)]
  }
  const refused = (kind: RuleKind) =>
    sentenceOf(kind, 'Refused (403) for every row.', (words) => `Refused (403) for rows unless ${words}.`)
  const made = sentenceOf(
    'create',
    'Refused (403) for every row as it would be stored.',
    (words) => `Refused (403) unless in the row as it would be stored ${words}.`,
  )
  switch (method) {
    case 'GET':
      return view.totals
        ? sentenceOf('read', 'Counts no rows.', (words) => `Counts only rows where ${words}.`)
        : sentenceOf('read', 'Shows no rows.', (words) => `Shows only rows where ${words}.`)
    case 'POST':
      return made
    case 'DELETE':
      return refused('delete')
    default:
      return [...refused('update'), ...made]
  }
}

const methodRules = (view: View, method: Method): string[] => {
  switch (method) {
    case 'GET':
      return [view.description === '' ? `Reads ${words(view.name)}.` : view.description, ...totalsRule(view)]
    case 'POST':
      return [...keyRule(view), ...whileRules(view, 'created'), ...uniqueRules(view)]
    case 'PUT':
      return [
        'Replaces the whole row: an optional field that is left out returns to its default, a state stays. What GET returned can be sent back.',
        ...changeRules(view),
      ]
    case 'PATCH':
      return [
        'Changes what is sent and keeps the rest; sent twice, it does the same as once.',
        ...changeRules(view),
      ]
    case 'DELETE':
      return [...deleteRules(view), ...matchRule(view)]
  }
}

const totalsRule = ({ totals, limits }: View): string[] =>
  totals
    ? [
        `Counts and adds up rows of ${words(totals.of().name)}, which the filters choose: at most ${limits.totalRows}, in groups of equal \`by\`.`,
      ]
    : []

const changeRules = (view: View): string[] => [
  ...whileRules(view, 'changed'),
  ...uniqueRules(view),
  ...matchRule(view),
]

const keyRule = ({ idempotency }: View): string[] => {
  if (idempotency.mode === 'off') return ['An Idempotency-Key is not looked at here.']
  if (idempotency.mode === 'required')
    return ['Needs an Idempotency-Key, so that a retry creates nothing twice.']
  return ['With an Idempotency-Key a retry creates nothing twice.']
}

const matchRule = (view: View): string[] =>
  view.requireIfMatch ? ['Needs If-Match with the ETag of the version you saw.'] : []

const whileRules = (view: View, verb: string): string[] =>
  Object.entries(stateRulesOf(view).only_while ?? {}).map(
    ([field, values]) => `Rows are ${verb} only while \`${field}\` is ${either(values)}.`,
  )

const deleteRules = (view: View): string[] => {
  const rules = stateRulesOf(view).delete
  const own = Object.entries(rules?.only_while ?? {}).map(
    ([field, values]) => `Rows are deleted only while \`${field}\` is ${either(values)}.`,
  )
  const [blocking, going] = [resourcesOf(rules?.refused_by), resourcesOf(rules?.takes_along)]
  return [
    ...own,
    ...whileRules(view, 'deleted'),
    ...(blocking.length > 0 ? [`Refused while rows of ${blocking.join(' or ')} point to it.`] : []),
    ...(going.length > 0 ? [`Its rows of ${going.join(' and ')} are deleted along.`] : []),
    ...(own.length + blocking.length + going.length === 0 ? ['Deletes the row for good.'] : []),
  ]
}

const resourcesOf = (relations: readonly string[] = []): string[] => [
  ...new Set(relations.map((relation) => relation.split('.', 1)[0] ?? '')),
]

const uniqueRules = (view: View): string[] =>
  uniquesOf(view).map((set) => `No two rows share ${set.map((name) => `\`${name}\``).join(' and ')}.`)

const ownerRule = (view: View, sub: SubCollection | null): string[] => {
  if (!sub || view.topLevel || sub.relation.join) return []
  return [`Rows live under ${words(sub.owner().name)} only.`]
}

/** Where the links of a many-to-many are, and who may see them. */
const joinRule = (sub: SubCollection | null): string[] => {
  const join = sub?.relation.join?.()
  if (!join) return []
  const rule = ruleWords(join, 'read')
  const isOpen = rule === null || rule === constantWords.always
  return [
    `Linked by the rows of ${words(join.name)}, and written there; a row that is linked several times is shown once.`,
    ...(isOpen ? [] : [`Counts only links where in the row of ${words(join.name)} ${rule}.`]),
    ...(join.scopes.GET === 'public' || join.scopes.GET === 'authenticated'
      ? []
      : [scopeRule(join.scopes.GET)]),
  ]
}

const scopeRule = (scope: string): string => {
  if (scope === 'public') return 'Needs no key.'
  return scope === 'authenticated' ? 'Needs a key, whatever its scopes.' : `Needs the scope \`${scope}\`.`
}

const either = (values: readonly string[]): string =>
  values.length > 0
    ? values.map((value) => `\`${value}\``).join(' or ')
    : 'a value that this version does not have'
