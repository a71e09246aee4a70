import { shownRow } from '../call/row-text.ts'
import { shownTo } from '../call/shown-fields.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Version, View } from '../compile/model.ts'
import type { HeadForm } from '../events/head-form.ts'
import { type Audience, changedIn } from '../events/show-event.ts'
import type { AuditRow } from './audit-row.ts'

type Values = { readonly [field: string]: unknown }

/** An entry as a version shows it. */
export interface AuditEntry {
  readonly id: string
  readonly action: string
  readonly resource: string | null
  readonly row_id: string | null
  readonly consumer: string | null
  readonly subject: string | null
  readonly operator: string | null
  readonly request_id: string | null
  readonly changed: readonly string[] | null
  readonly withheld: readonly string[] | null
  readonly before: Values | null
  readonly after: Values | null
  readonly detail: object | null
  readonly created_at: string
}

/**
 * Null where the version does not show the entry: it has no such resource, the audience may not read its rows, or the version has none of
 * the fields that changed. `form` is the row of an entry that the audience may read by the rules; null where the entry is of no row.
 */
export function showEntry(
  version: Version,
  row: AuditRow,
  form: HeadForm | null,
  audience: Audience,
): AuditEntry | null {
  if (!row.change) return entry(row, null)
  const view = form && version.viewOf.get(form.resource.name)
  // The operator of the service sees what operators did, also where no audit is declared.
  const isShown = view?.audited || audience.caller === null
  if (!form || !view || !isShown || !audience.mayRead(view)) return null
  const former = row.action === 'updated' ? (form.former ?? form.row) : null
  const changed = former && changedNames(view, former, form.row, row.unseen)
  if (changed?.length === 0) return null
  const shown = (values: StoredRow): Values => shownRow(view, values, audience.grants)
  return entry(row, {
    resource: view.name,
    changed,
    withheld: withheldNames(view, audience, row.unseen),
    before: former ? shown(former) : row.action === 'deleted' ? shown(form.row) : null,
    after: row.action === 'deleted' ? null : shown(form.row),
  })
}

const entry = (
  { id, action, rowId, consumer, subject, operator, requestId, detail, createdAt }: AuditRow,
  change: Pick<AuditEntry, 'resource' | 'changed' | 'withheld' | 'before' | 'after'> | null,
): AuditEntry => ({
  id,
  action,
  resource: change?.resource ?? null,
  row_id: rowId,
  consumer,
  subject,
  operator,
  request_id: requestId,
  changed: change?.changed ?? null,
  withheld: change?.withheld ?? null,
  before: change?.before ?? null,
  after: change?.after ?? null,
  detail,
  created_at: new Date(createdAt).toISOString(),
})

/** The fields that changed, as the view shows them, those without a shown value included. */
function changedNames(
  view: View,
  before: StoredRow,
  after: StoredRow,
  unseen: readonly string[],
): readonly string[] {
  const isChanged = changedIn(view, before, after)
  const changed = view.fields.filter((field) =>
    field.writeOnly ? field.field !== null && unseen.includes(field.field.column) : isChanged(field),
  )
  return changed.map(({ name }) => name)
}

/** The fields that have a value which is not shown; null for none. */
function withheldNames(
  view: View,
  { grants }: Audience,
  unseen: readonly string[],
): readonly string[] | null {
  const shown = new Set(shownTo(view, grants).fields)
  const withheld = view.fields.filter(
    (field) =>
      !shown.has(field) &&
      (!field.writeOnly || (field.field !== null && unseen.includes(field.field.column))),
  )
  return withheld.length === 0 ? null : withheld.map(({ name }) => name)
}
