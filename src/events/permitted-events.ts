import type { Caller } from '../call/caller.ts'
import type { Model, Resource } from '../compile/model.ts'
import { judgedFields } from '../plan/judge-values.ts'
import { decidedByScopes } from '../plan/rule-sql.ts'
import { passingRows, type RowJudge } from '../write/passing-rows.ts'
import type { StoredChange } from './event-row.ts'
import { asRequired, type HeadForm, headForm } from './head-form.ts'

/** What judging the rows of events needs, made once per service. */
export interface EventJudge extends RowJudge {
  readonly model: Model
}

interface Judged<E> {
  readonly event: E
  readonly form: HeadForm
}

/**
 * The events whose rows the caller may read by the rules of their resources, with these rows; all where there is no caller. A rule holds
 * for the row as the event shows it. Without events of resources that today's API does not have.
 */
export async function permittedEvents<E extends StoredChange>(
  judge: EventJudge,
  caller: Caller | null,
  events: readonly E[],
): Promise<ReadonlyMap<E, HeadForm>> {
  const permitted = new Map<E, HeadForm>()
  const open = new Map<Resource, Judged<E>[]>()
  for (const event of events) {
    const form = headForm(judge.model, event)
    if (!form) continue
    const rule = form.resource.rules.read
    const decision = rule && caller ? decidedByScopes(rule.root, caller.scopes) : true
    if (decision === true) permitted.set(event, form)
    else if (decision !== false)
      open.set(form.resource, [...(open.get(form.resource) ?? []), { event, form }])
  }
  if (caller)
    for (const [resource, judged] of open)
      for (const { event, form } of await passing(judge, caller, resource, judged)) permitted.set(event, form)
  return permitted
}

async function passing<E>(
  judge: EventJudge,
  caller: Caller,
  resource: Resource,
  judged: readonly Judged<E>[],
): Promise<readonly Judged<E>[]> {
  const rule = resource.rules.read
  // An event does not keep what is never shown, such as a password, so nobody knows whether a rule on it holds.
  if (!rule || judgedFields(resource, rule).some(({ writeOnly }) => writeOnly)) return []
  const rows = judged.map(({ form }) => asRequired(resource, form.row))
  const passed = await passingRows(judge, caller, resource, { rule, grants: caller.scopes }, rows)
  return passed.flatMap((index) => judged[index] ?? [])
}
