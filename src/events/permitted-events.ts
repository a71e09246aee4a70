import type { Model, Resource } from '../compile/model.ts'
import { judgedFields } from '../plan/judge-values.ts'
import { settled } from '../plan/rule-sql.ts'
import { passingRows, type RowJudge } from '../read/passing-rows.ts'
import type { StoredRow } from '../request/body.ts'
import type { Caller } from '../request/caller.ts'
import type { EventRow } from './event-row.ts'
import { headForm } from './head-form.ts'

/** What judging the rows of events needs, made once per service. */
export interface EventJudge extends RowJudge {
  readonly model: Model
}

interface Judged {
  readonly event: EventRow
  readonly row: StoredRow
}

/**
 * The events whose rows the caller may read by the rules of their resources; all where there is no caller. A rule holds for the row as
 * the event shows it.
 */
export async function permittedEvents(
  judge: EventJudge,
  caller: Caller | null,
  events: readonly EventRow[],
): Promise<ReadonlySet<EventRow>> {
  if (!caller) return new Set(events)
  const permitted = new Set<EventRow>()
  const open = new Map<Resource, Judged[]>()
  for (const event of events) {
    const form = headForm(judge.model, event)
    const rule = form?.resource.rules.read
    const said = rule ? settled(rule.root, caller.scopes) : true
    if (said === true) permitted.add(event)
    else if (form && said !== false)
      open.set(form.resource, [...(open.get(form.resource) ?? []), { event, row: form.row }])
  }
  for (const [resource, judged] of open)
    for (const event of await passing(judge, caller, resource, judged)) permitted.add(event)
  return permitted
}

async function passing(
  judge: EventJudge,
  caller: Caller,
  resource: Resource,
  judged: readonly Judged[],
): Promise<readonly EventRow[]> {
  const rule = resource.rules.read
  // An event does not keep what is never shown, such as a password, so nobody knows whether a rule on it holds.
  if (!rule || judgedFields(resource, rule).some(({ writeOnly }) => writeOnly)) return []
  const rows = judged.map(({ row }) => row)
  const passed = await passingRows(judge, caller, resource, { rule, grants: caller.scopes }, rows)
  return passed.flatMap((index) => judged[index]?.event ?? [])
}
