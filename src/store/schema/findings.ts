import type { FieldKind } from '../../compile/model.ts'
import type { PresentForeignKey, PresentTable } from './present.ts'
import type { Column, ForeignKey, Table } from './table.ts'

export interface NewColumn {
  readonly kind: 'new'
  readonly column: Column
  readonly additive: boolean
  readonly why: string
}

export type ColumnFinding =
  | NewColumn
  | { readonly kind: 'type' | 'must-be-set' | 'may-be-null'; readonly column: Column; readonly why: string }

/** How the wanted columns differ from those found, in no database's words. */
export function columnFindings(
  table: Table,
  found: PresentTable,
  typeOf: (kind: FieldKind) => string,
): readonly ColumnFinding[] {
  return table.columns.flatMap((column): ColumnFinding[] => {
    const present = found.columns.get(column.name)
    const name = `${table.name}.${column.name}`
    if (!present) return [newColumn(column, name)]
    const type = typeOf(column.kind)
    const findings: ColumnFinding[] = []
    if (present.type !== type.toLowerCase())
      findings.push({ kind: 'type', column, why: `${name} is ${present.type}, and should be ${type}` })
    if (present.nullable && !column.nullable)
      findings.push({ kind: 'must-be-set', column, why: `${name} allows NULL, and the field is required` })
    if (!present.nullable && column.nullable)
      findings.push({ kind: 'may-be-null', column, why: `${name} is NOT NULL, and the field is optional` })
    return findings
  })
}

function newColumn(column: Column, name: string): ColumnFinding {
  const additive = column.nullable || column.default !== undefined
  const why = additive
    ? `${name} is new`
    : `${name} is new and required, and rows that exist have no value for it`
  return { kind: 'new', column, additive, why }
}

/** What the model no longer has stays, data and all, unless it would refuse every new row. */
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
  /** Its column is new as well, so that no row that exists can break it. */
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
    const why = `the reference of ${name} to ${key.table} should ${key.onDelete} on delete, and is to ${present.table} with ${present.onDelete}`
    return [{ key, found: present, additive: false, why }]
  })
}
