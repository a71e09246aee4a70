import { type FieldKind, kinds } from '../../kinds/kinds.ts'
import { ident } from '../../plan/dialect.ts'
import type { Demand } from '../migration-step.ts'
import type { PresentForeignKey, PresentTable } from '../present.ts'
import type { Column, ForeignKey, Table } from '../wanted/table.ts'

export interface NewColumn {
  readonly kind: 'new'
  readonly column: Column
  readonly additive: boolean
  readonly why: string
}

export interface OtherType {
  readonly kind: 'type'
  readonly column: Column
  /** A cast of the database keeps the meaning of every value, or fails. */
  readonly castable: boolean
  readonly why: string
}

export type ColumnFinding =
  | NewColumn
  | OtherType
  | { readonly kind: 'must-be-set'; readonly column: Column; readonly why: string }
  | {
      readonly kind: 'may-be-null'
      readonly column: Column
      readonly additive: boolean
      readonly why: string
    }

/** Every row lacks a column that the table does not have. */
export const everyRow = '1 = 1'

/** What must be there before a column can be NOT NULL, where nothing says what rows without a value have. */
export const demandsOf = (findings: readonly ColumnFinding[]): readonly Demand[] =>
  findings.flatMap(({ kind, column: { name, default: value } }) => {
    if (kind === 'new' && value === undefined) return [{ column: name, rows: everyRow }]
    if (kind === 'must-be-set' && value === undefined)
      return [{ column: name, rows: `${ident(name)} IS NULL` }]
    return []
  })

/** How the wanted columns differ from those found, the same for every database. */
export function columnFindings(
  table: Table,
  found: PresentTable,
  typeOf: (kind: FieldKind) => string,
): readonly ColumnFinding[] {
  return table.columns.flatMap((column): ColumnFinding[] => {
    const present = found.columns.get(column.name)
    const name = `${table.name}.${column.name}`
    if (!present) return [newColumn(column, name)]
    const findings: ColumnFinding[] = typeFindings(column, name, present.type, typeOf)
    if (present.nullable && !column.nullable && !table.isOlder)
      findings.push({ kind: 'must-be-set', column, why: `${name} allows NULL, and the field is required` })
    if (!present.nullable && column.nullable && !column.requiredByNewer)
      findings.push({
        kind: 'may-be-null',
        column,
        additive: table.relaxes === true,
        why: `${name} is NOT NULL, and the field is optional`,
      })
    return findings
  })
}

function typeFindings(
  column: Column,
  name: string,
  found: string,
  typeOf: (kind: FieldKind) => string,
): ColumnFinding[] {
  const type = typeOf(column.kind)
  if (found === type.toLowerCase()) return []
  const why = `${name} is ${found}, and should be ${type}`
  return [{ kind: 'type', column, castable: isCastable(found, column.kind, type), why }]
}

/** Only where the cast keeps the meaning: seconds cast to text are no datetime, and 5 is no boolean. */
const isCastable = (found: string, kind: FieldKind, type: string): boolean =>
  found.startsWith(`${type.toLowerCase()} collate`) || kinds[kind].castableFrom.includes(found)

function newColumn(column: Column, name: string): ColumnFinding {
  const additive = column.nullable || column.default !== undefined
  const why = additive ? `${name} is new` : `${name} is new and required`
  return { kind: 'new', column, additive, why }
}

/** A column that is no longer declared stays with its data. These would refuse every new row, because they are NOT NULL. */
export function leftOverColumns(
  table: Table,
  found: PresentTable,
): readonly { readonly column: string; readonly why: string }[] {
  const wanted = new Set(table.columns.map((column) => column.name))
  return [...found.columns.values()]
    .filter((column) => !wanted.has(column.name) && !column.nullable && column.default === null)
    .map(({ name }) => ({
      column: name,
      why: `${table.name}.${name} is no longer declared, but NOT NULL without a default: no row could be created`,
    }))
}

export interface ForeignKeyFinding {
  readonly key: ForeignKey
  readonly found: PresentForeignKey | null
  /** Its column is new as well, so that no existing row can violate it. */
  readonly additive: boolean
  readonly why: string
}

export function foreignKeyFindings(table: Table, found: PresentTable): readonly ForeignKeyFinding[] {
  return table.foreignKeys.flatMap((key): ForeignKeyFinding[] => {
    const name = `${table.name} (${key.columns.join(', ')})`
    const present = found.foreignKeys.get(key.columns.join(','))
    if (!present) {
      const additive = key.columns.some((column) => !found.columns.has(column))
      return [{ key, found: null, additive, why: `the reference of ${name} to ${key.table} is new` }]
    }
    const same =
      present.table === key.table &&
      present.references.join() === key.references.join() &&
      present.onDelete === key.onDelete
    if (same) return []
    return [{ key, found: present, additive: false, why: otherReference(name, key, present) }]
  })
}

/** `the reference of orders (account_id, customer_id) leads to owners in the store, and to customers in the declaration` */
function otherReference(name: string, key: ForeignKey, present: PresentForeignKey): string {
  const target = ({ table, references }: ForeignKey | PresentForeignKey) =>
    present.table === key.table ? `${table} (${references.join(', ')})` : table
  const onDelete = { refuse: 'is refused', cascade: 'deletes the row too' }
  const differences = [
    ...(target(present) === target(key)
      ? []
      : [`leads to ${target(present)} in the store, and to ${target(key)} in the declaration`]),
    ...(present.onDelete === key.onDelete
      ? []
      : [
          `says that a delete of the row it leads to ${onDelete[present.onDelete]} in the store, and ${onDelete[key.onDelete]} in the declaration`,
        ]),
  ]
  return `the reference of ${name} ${differences.join('; it ')}`
}
