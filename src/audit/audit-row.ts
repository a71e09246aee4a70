import type { StoredRow } from '../call/stored-row.ts'
import type { StoredChange } from '../events/event-row.ts'
import { auditColumns } from '../plan/audit.ts'
import { type Row, textOrNull } from '../store/store.ts'

/** An entry as it is stored. */
export interface AuditRow {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly action: string
  readonly rowId: string | null
  readonly consumer: string | null
  readonly subject: string | null
  readonly operator: string | null
  readonly requestId: string | null
  /** The columns that are never shown and changed. */
  readonly unseen: readonly string[]
  /** The row right after the change, for a delete right before it; null where no row was changed. */
  readonly change: StoredChange | null
  /** What an operator did, where no row was changed. */
  readonly detail: object | null
}

/** From the columns that statements read, in the order of `auditColumns`. */
export function auditRow(columns: Row): AuditRow {
  const named = Object.fromEntries(auditColumns.map((name, at) => [name, columns[at]]))
  const { id, action, resource, consumer, subject, operator, version, unseen, data, before } = named
  const isOfRow = textOrNull(resource) !== null
  return {
    id: String(id),
    createdAt: Number(named.created_at),
    action: String(action),
    rowId: textOrNull(named.row_id),
    consumer: textOrNull(consumer),
    subject: textOrNull(subject),
    operator: textOrNull(operator),
    requestId: textOrNull(named.request_id),
    unseen: parsed<readonly string[]>(unseen) ?? [],
    change: isOfRow
      ? {
          resource: String(resource),
          version: String(version),
          data: parsed<StoredRow>(data) ?? {},
          before: parsed<StoredRow>(before),
        }
      : null,
    detail: isOfRow ? null : parsed<object>(data),
  }
}

const parsed = <T>(text: Row[number] | undefined): T | null =>
  text === null || text === undefined ? null : (JSON.parse(String(text)) as T)
