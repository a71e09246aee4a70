import type { Caller } from '../call/caller.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Field, Resource } from '../compile/model.ts'
import { kinds } from '../kinds/kinds.ts'
import { bound } from '../plan/bind.ts'
import { judgedFields } from '../plan/judge-values.ts'
import type { Planner } from '../plan/planner.ts'
import type { Judgement } from '../plan/row-statements.ts'
import type { Store } from '../store/store.ts'

/** What judging rows that are not stored needs, made once per service. */
export interface RowJudge {
  readonly store: Pick<Store, 'all'>
  readonly planner: Pick<Planner, 'judgeValues'>
  /** Milliseconds since 1970. */
  now(): number
}

/**
 * The indexes of the rows that pass a rule, for rows that are not stored, or not stored any more. A row with a value of another type, which an
 * earlier release may have written, does not pass.
 */
export async function passingRows(
  { store, planner, now }: RowJudge,
  caller: Caller,
  resource: Resource,
  judgement: Judgement,
  rows: readonly StoredRow[],
): Promise<readonly number[]> {
  const fields = judgedFields(resource, judgement.rule)
  const values = rows.flatMap((row, index) => {
    if (!fields.every((field) => fits(field, row[field.name]))) return []
    return [
      [index, ...fields.map(({ name, kind, stored }) => bound({ kind, schema: {}, stored }, row[name]))],
    ]
  })
  const { text, bind } = planner.judgeValues(resource, judgement)
  const asked = { by: caller, at: now() }
  const bindings = bind({ account: caller.account, asked, values: [JSON.stringify(values)] })
  return (await store.all(text, bindings, caller.account)).map(([index]) => Number(index))
}

/** A rule asks a field that cannot be compared only whether it is null. */
const fits = ({ kind }: Field, value: unknown): boolean =>
  value === null || value === undefined || kinds[kind].notQueryable !== null || kinds[kind].isStored(value)
