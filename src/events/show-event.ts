import type { Caller } from '../call/caller.ts'
import { equalValues } from '../call/equal-values.ts'
import type { Grants } from '../call/grants.ts'
import { shownValues } from '../call/made-fields.ts'
import { shownText } from '../call/row-text.ts'
import { shownTo } from '../call/shown-fields.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Version, View, ViewField } from '../compile/model.ts'
import type { EventRow } from './event-row.ts'
import type { HeadForm } from './head-form.ts'

/** An event as a version shows it. */
export interface ShownEvent {
  /** The view of the row that changed. */
  readonly view: View
  readonly type: string
  /** The JSON object, on one line. */
  readonly text: string
}

/** For whom events are shown. */
export interface Audience {
  /** Whose sight the rules narrow; null for the operator of the service, who sees every row. */
  readonly caller: Caller | null
  readonly grants: Grants
  /** Whether rows of a view may be read. */
  mayRead(view: View): boolean
}

/**
 * Null where the version does not show the event: it has no such resource, or shows none of what changed to this audience. `form` is
 * the row of an event that the audience may read by the rules.
 */
export function showEvent(
  version: Version,
  event: EventRow,
  form: HeadForm,
  audience: Audience,
): ShownEvent | null {
  const view = version.viewOf.get(form.resource.name)
  if (!view?.events || !audience.mayRead(view)) return null
  const { grants } = audience
  const changed = form.former && changedNames(view, grants, form.former, form.row)
  if (changed?.length === 0) return null
  const type = `${view.name}.${event.kind}`
  const head = JSON.stringify({
    id: event.id,
    type,
    resource_id: event.rowId,
    changed,
    created_at: new Date(event.createdAt).toISOString(),
  })
  return { view, type, text: `${head.slice(0, -1)},"data":${shownText(view, form.row, grants)}}` }
}

/** The body of GET of one event, which is also what webhooks send. */
export const eventBody = ({ text }: ShownEvent): string => `{"data":${text}}`

/** The fields whose values changed, as the view shows them. */
function changedNames(view: View, grants: Grants, before: StoredRow, after: StoredRow): readonly string[] {
  const isChanged = changedIn(view, before, after)
  return shownTo(view, grants)
    .fields.filter(isChanged)
    .map(({ name }) => name)
}

/** Whether the view shows another value of a field than before. `updated_at` is left out: it differs after every change. */
export function changedIn(view: View, before: StoredRow, after: StoredRow): (field: ViewField) => boolean {
  const [was, is] = [shownValues(view, before), shownValues(view, after)]
  return (field) => field.field?.name !== 'updated_at' && !equalValues(was(field), is(field))
}
