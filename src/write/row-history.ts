import { equalValues } from '../call/equal-values.ts'
import type { StoredRow } from '../call/stored-row.ts'
import type { Resource } from '../compile/model.ts'
import { eventName, storedForm, writtenVersion } from '../plan/event-form.ts'
import type { RowChange } from './row-change.ts'
import type { Writer } from './writer.ts'

export type HistoryKind = 'created' | 'updated' | 'deleted'

/** What became of a row in one transaction, as events and audit entries store it. */
export interface RowHistory {
  readonly resource: Resource
  readonly kind: HistoryKind
  readonly rowId: string
  /** The name under which it is stored. */
  readonly name: string
  /** The version that is the head. */
  readonly version: string
  /** The row right after the change, for a delete right before it, as JSON and without what is never shown. */
  readonly data: string
  /** For an update: the former values of the fields that changed, as JSON, with the time of the last change before. */
  readonly before: string | null
  /** Whether a field changed that is ever shown. */
  readonly isShown: boolean
  /** The fields that are never shown and changed. */
  readonly unseen: readonly string[]
}

/** The history of a new row. */
export const historyOfNew = (writer: Writer, resource: Resource, row: StoredRow): RowHistory =>
  newHistory(writer, resource, 'created', row, nothingChanged)

/** The net change of a row; null where it is what it was. */
export function historyOf(writer: Writer, { resource, before, after }: RowChange): RowHistory | null {
  if (before && after) {
    const changed = changedFields(resource, before, after)
    return changed && newHistory(writer, resource, 'updated', after, changed)
  }
  const row = after ?? before
  return row && newHistory(writer, resource, after ? 'created' : 'deleted', row, nothingChanged)
}

interface Changed {
  /** The former values of the fields that are shown, and of the time of the last change. */
  readonly former: StoredRow | null
  readonly unseen: readonly string[]
  readonly isShown: boolean
}

const nothingChanged: Changed = { former: null, unseen: [], isShown: true }

/** Null where no field changed that a request could name. */
function changedFields(resource: Resource, before: StoredRow, after: StoredRow): Changed | null {
  const changed = resource.fields.filter(
    (field) =>
      field.name !== 'updated_at' &&
      !isInternal(resource, field) &&
      !equalValues(before[field.name], after[field.name]),
  )
  if (changed.length === 0) return null
  const seen = changed.filter(({ writeOnly }) => !writeOnly).map(({ name }) => name)
  return {
    former: Object.fromEntries([...seen, 'updated_at'].map((name) => [name, before[name]])),
    unseen: changed.filter(({ writeOnly }) => writeOnly).map(({ column }) => column),
    isShown: seen.length > 0,
  }
}

const newHistory = (
  { model }: Writer,
  resource: Resource,
  kind: HistoryKind,
  row: StoredRow,
  { former, unseen, isShown }: Changed,
): RowHistory => ({
  resource,
  kind,
  rowId: String(row.id),
  name: eventName(resource.table),
  version: writtenVersion(model),
  data: JSON.stringify(storedForm(resource, shownValues(resource, row))),
  before: former && JSON.stringify(storedForm(resource, former)),
  isShown,
  unseen,
})

/** Fields of the engine's own resources that no request sends, such as an encrypted key. */
const isInternal = (resource: Resource, { kept }: Resource['fields'][number]): boolean =>
  resource.engineMade && kept

/** A row without what is never shown, such as a password: neither an event nor an audit entry must keep it. */
function shownValues(resource: Resource, row: StoredRow): StoredRow {
  const isNever = (field: Resource['fields'][number]): boolean =>
    field.writeOnly || isInternal(resource, field)
  if (!resource.fields.some(isNever)) return row
  const shown = resource.fields.filter((field) => !isNever(field))
  return Object.fromEntries(shown.map(({ name }) => [name, row[name]]))
}
