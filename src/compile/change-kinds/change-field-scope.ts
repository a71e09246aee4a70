import type { ChangeFieldScope } from '../../declare/change.ts'
import { withField, withView } from '../changes/view-draft.ts'
import type { ViewField } from '../model.ts'
import { textShape } from '../shape/shapes.ts'
import { type ChangeKind, usualChange } from './change-kind.ts'
import { inCode, ruleEntry } from './guide-entry.ts'
import { newerView, olderField, olderFieldName, olderView } from './step.ts'
import { fieldTraces } from './usage-traces.ts'

/** As for rules: the scope is needed in every version, and the contract of the older one keeps what it was published with. */
export const changeFieldScope: ChangeKind<ChangeFieldScope> = {
  ...usualChange,
  parameters: ['resource', 'field'],
  options: {
    form: "changeFieldScope('books', 'cost', { why: '…' })",
    needs: { resource: textShape, field: textShape },
  },
  phase: 4,
  takeBack(draft, { resource, field: name, why }, report) {
    const field = report.field(resource, name)
    if (!field) return null
    if ((field.publishedScopes ?? field.needsScopes).length === 0)
      return report.mistake(
        `${resource}.${name} needs no scope in the newer version.`,
        'A scope that is no longer needed breaks nobody: leave this out.',
      )
    if (!why) report.mistake('it does not say why.', "Say the reason to consumers: { why: '…' }.")
    if (!report.claim(`${resource}.${name}`)) return null
    return withView(draft, resource, (one) => withField(one, name, { publishedScopes: [] }))
  },
  line: ({ resource, field }, step) => ({
    where: `${resource}.${field}`,
    what: `scope ${scopesOf(olderField(step, resource, field))} → ${scopesOf(newerView(step, resource)?.field.get(field))}`,
  }),
  guideEntry: ({ resource, field }, step) =>
    ruleEntry(
      `${inCode(`${resource}.${field}`)} needs another scope`,
      [[scopesOf(olderField(step, resource, field)), scopesOf(newerView(step, resource)?.field.get(field))]],
      `It is needed in ${step.older.name} too. Without it the field is not shown, and sending it, filtering or sorting by it is refused with 403.`,
    ),
  newerFields: ({ field }) => [field],
  usage: ({ resource, field }, step) =>
    fieldTraces(olderView(step, resource), [olderFieldName(step, resource, field)]),
}

const scopesOf = (field: ViewField | undefined): string =>
  (field?.publishedScopes ?? field?.needsScopes ?? []).map(inCode).join(' and ') || 'no scope'
