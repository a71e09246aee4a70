import type { Resource } from '../compile/model.ts'
import { bound } from '../plan/bind.ts'
import { indexColumn, judgedFields } from '../plan/judge-values.ts'
import type { Planner } from '../plan/planner.ts'
import type { Judgement } from '../plan/row-statements.ts'
import type { StoredRow } from '../request/body.ts'
import type { Caller } from '../request/caller.ts'
import type { Store } from '../store/store.ts'
import { bindSlots } from './call.ts'

/** What judging rows that are not stored needs, made once per service. */
export interface RowJudge {
  readonly store: Pick<Store, 'all'>
  readonly planner: Pick<Planner, 'judgeValues'>
  /** Milliseconds since 1970. */
  now(): number
}

/** The indexes of the rows that pass a rule. The rows are not stored, or not any more. */
export async function passingRows(
  { store, planner, now }: RowJudge,
  caller: Caller,
  resource: Resource,
  { rule, grants }: Judgement,
  rows: readonly StoredRow[],
): Promise<readonly number[]> {
  const fields = judgedFields(resource, rule)
  const values = rows.map((row, index) => ({
    [indexColumn]: index,
    ...Object.fromEntries(fields.map((field) => [field.column, bound(field, row[field.name])])),
  }))
  const { text, slots } = planner.judgeValues(resource, rule, grants)
  const asked = { by: caller, at: now() }
  const bindings = bindSlots(slots, { account: caller.account, asked, values: [JSON.stringify(values)] })
  return (await store.all(text, bindings)).map(([index]) => Number(index))
}
