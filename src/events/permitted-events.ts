import type { Model, Resource } from '../compile/model.ts'
import { bound } from '../plan/bind.ts'
import { indexColumn, judgedFields } from '../plan/judge-values.ts'
import type { Planner } from '../plan/planner.ts'
import { settled } from '../plan/rule-sql.ts'
import { bindSlots } from '../read/call.ts'
import type { StoredRow } from '../request/body.ts'
import type { Caller } from '../request/caller.ts'
import type { Store } from '../store/store.ts'
import type { EventRow } from './event-row.ts'
import { headForm } from './head-form.ts'

/** What judging the rows of events needs, made once per service. */
export interface EventJudge {
  readonly model: Model
  readonly store: Pick<Store, 'all'>
  readonly planner: Pick<Planner, 'judgeValues'>
  /** Milliseconds since 1970. */
  now(): number
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
  if (!rule) return []
  const fields = judgedFields(resource, rule)
  const rows = judged.map(({ row }, index) => ({
    [indexColumn]: index,
    ...Object.fromEntries(fields.map((field) => [field.column, bound(field, row[field.name])])),
  }))
  const { text, slots } = judge.planner.judgeValues(resource, rule, caller.scopes)
  const asked = { by: caller, at: judge.now() }
  const found = await judge.store.all(
    text,
    bindSlots(slots, { account: caller.account, asked, values: [JSON.stringify(rows)] }),
  )
  return found.flatMap(([index]) => judged[Number(index)]?.event ?? [])
}
