import { readAuditPage } from '../../audit/audit-page.ts'
import type { View } from '../../compile/model.ts'
import { html, type Markup, table } from '../../pages/markup.ts'
import type { Visit } from '../console-page.ts'
import { timeShown } from '../time-shown.ts'

const mostEntries = 20

/** Who did what to the row, newest first. Nothing where nothing is recorded. */
export const rowAudit = async (
  { parts, account }: Visit,
  view: View,
  id: string,
): Promise<Markup | false> => {
  const { entries } = await readAuditPage(parts, {
    account: account ?? '',
    resource: view.name,
    rowId: id,
    limit: mostEntries,
  })
  return (
    entries.length > 0 &&
    html`<h2>Who did what</h2>${table(
      'Audit entries of the row',
      ['When', 'Who', 'What', 'From', 'To'],
      entries.map(
        (entry) =>
          html`<tr><td>${timeShown(Date.parse(entry.created_at))}</td><td>${whoOf(entry)}</td><td>${entry.action}</td><td>${changedValues(entry.changed, entry.before)}</td><td>${changedValues(entry.changed, entry.after)}</td></tr>`,
      ),
    )}`
  )
}

interface Actor {
  readonly operator: string | null
  readonly consumer: string | null
  readonly subject: string | null
}

const whoOf = ({ operator, consumer, subject }: Actor): Markup => {
  if (operator !== null) return html`operator <b>${operator}</b>`
  return html`<code>${consumer ?? 'unknown'}</code>${subject !== null && html` for ${subject}`}`
}

const mostShown = 120

/** The changed fields of a row, as it was or became. */
export const changedValues = (
  changed: readonly string[] | null,
  row: { readonly [field: string]: unknown } | null,
): readonly Markup[] =>
  (row === null ? [] : (changed ?? [])).map((name) => {
    const value = row?.[name]
    const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
    return html`<p class="change"><code>${name}</code> ${text.length > mostShown ? `${text.slice(0, mostShown)}…` : text}</p>`
  })
