import type { StoredRow } from '../call/stored-row.ts'
import type { Target } from '../call/target.ts'
import { lackingFields } from '../plan/row-statements.ts'
import type { ChangeSet } from './change-set.ts'
import type { Writer } from './writer.ts'

/**
 * A row that a request has locked and did not write, as it is stored. A locked row has a value in every required field, which it may lack in the
 * store: versions in which the field is optional show that there is none.
 */
export async function unwrittenRow(
  { planner }: Pick<Writer, 'planner'>,
  { tx, account }: Pick<ChangeSet, 'tx' | 'account'>,
  { view, id }: Pick<Target, 'view' | 'id'>,
  row: StoredRow,
): Promise<StoredRow> {
  if (!view.fields.some(({ field, nullable }) => nullable && field?.mayLack)) return row
  const statement = planner.lacking(view.resource)
  const flags = await tx.first(statement.text, statement.bind({ account, id: id ?? '' }))
  const lacks = lackingFields(view.resource).filter((_, at) => Number(flags?.[at]) === 1)
  return { ...row, ...Object.fromEntries(lacks.map(({ name }) => [name, null])) }
}
