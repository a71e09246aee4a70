import type { JsonObject } from '../compile/schemas/canonical.ts'
import type { Act } from '../compile/service/acts.ts'
import { auditColumns, insertEntry } from '../plan/audit.ts'
import { type Bound, statement } from '../plan/bound-statement.ts'
import { firstRow, writeAlone } from '../store/run-statement.ts'
import type { Store, Transaction, Value } from '../store/store.ts'
import { newIdOfTime } from './ids.ts'

export interface ActRecord {
  readonly act: Act
  /** By name; null where nobody knows. */
  readonly operator: string | null
  /** Whose account it belongs to; of the whole store unless said. */
  readonly account?: string
  readonly requestId?: string | null
  /** What it was done to. Never a secret. */
  readonly detail?: JsonObject
}

/** The account of what belongs to the whole store. */
export const wholeStore = ''

/** Records what an operator did, by itself. */
export async function recordAct(store: Store, at: number, record: ActRecord): Promise<void> {
  await writeAlone(store, insertion(store, at, record), record.account ?? wholeStore)
}

/** The same within the transaction that does it. */
export async function recordActIn(tx: Transaction, at: number, record: ActRecord): Promise<void> {
  await firstRow(tx, insertion(tx, at, record))
}

function insertion(
  { dialect }: Pick<Transaction, 'dialect'>,
  at: number,
  { act, operator, account = wholeStore, requestId = null, detail }: ActRecord,
): Bound {
  const entry: { readonly [C in (typeof auditColumns)[number]]?: Value } = {
    id: newIdOfTime(at),
    created_at: at,
    action: act,
    operator,
    request_id: requestId,
    data: detail === undefined ? null : JSON.stringify(detail),
  }
  return statement(dialect, (bind) =>
    insertEntry(bind('id', account), (index, kind) => {
      const name = auditColumns[index]
      return bind(kind, (name && entry[name]) ?? null)
    }),
  )
}
