import type { Resource } from '../compile/model.ts'
import { auditColumns, entryArray } from '../plan/audit.ts'
import type { Transaction, Value } from '../store/store.ts'
import type { Actor } from './actor.ts'
import { newIdOfTime } from './ids.ts'
import { insertAtOnce } from './inserted-at-once.ts'
import type { RowHistory } from './row-history.ts'
import type { Writer } from './writer.ts'

/** Whether a change of a row of the resource is an audit entry: where it is declared, and whatever an operator asks for by a request. */
export const hasEntry = ({ audited }: Resource, { operator, requestId }: Actor): boolean =>
  audited || (operator !== null && requestId !== null)

/** The entry of a change, as values in the order of `auditColumns`. */
export function entryValues(actor: Actor, history: RowHistory, at: number): readonly Value[] {
  const entry: { readonly [C in (typeof auditColumns)[number]]: Value } = {
    id: newIdOfTime(at),
    created_at: at,
    action: history.kind,
    resource: history.name,
    row_id: history.rowId,
    consumer: actor.consumer,
    subject: actor.subject,
    operator: actor.operator,
    request_id: actor.requestId,
    version: history.version,
    unseen: history.unseen.length === 0 ? null : JSON.stringify(history.unseen),
    data: history.data,
    before: history.before,
  }
  return auditColumns.map((name) => entry[name])
}

/** Writes an entry for every changed row, as a part of the transaction that changed it. */
export async function writeEntries(
  writer: Writer,
  tx: Transaction,
  { account, actor }: { readonly account: string; readonly actor: Actor },
  histories: readonly RowHistory[],
): Promise<void> {
  const audited = histories.filter(({ resource }) => hasEntry(resource, actor))
  const at = writer.now()
  const rows = audited.map((history) => entryValues(actor, history, at))
  await insertAtOnce(tx, account, rows, {
    array: { as: entryArray, insert: (alike) => writer.writes.insertArray(entryArray, alike) },
    ofValues: (count) => writer.writes.insertEntries(count),
  })
}
