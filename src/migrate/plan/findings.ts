import type { FieldKind } from '../../kinds/kinds.ts'
import type { PresentForeignKey, PresentTable } from '../present.ts'
import type { Column, ForeignKey, Table } from '../wanted/table.ts'

export type ColumnFinding =
  | { readonly kind: 'new'; readonly column: Column; readonly why: string }
  /** Of another type; or required, and nothing says what rows without a value have. */
  | { readonly kind: 'impossible'; readonly column: Column; readonly why: string }
  /** Rows without a value get the default. */
  | { readonly kind: 'must-be-set'; readonly column: Column; readonly why: string }
  | {
      readonly kind: 'may-be-null'
      readonly column: Column
      readonly additive: boolean
      readonly why: string
    }

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
    const findings: ColumnFinding[] = []
    const type = typeOf(column.kind)
    if (present.type !== type.toLowerCase())
      findings.push({ kind: 'impossible', column, why: `${name} is ${present.type}, and should be ${type}` })
    if (present.nullable && !column.nullable && !table.isOlder)
      findings.push({
        kind: column.default === undefined ? 'impossible' : 'must-be-set',
        column,
        why: `${name} allows NULL, and the field is required`,
      })
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

const newColumn = (column: Column, name: string): ColumnFinding =>
  column.nullable || column.default !== undefined
    ? { kind: 'new', column, why: `${name} is new` }
    : { kind: 'impossible', column, why: `${name} is new and required` }

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
    const why = `the reference of ${name} to ${key.table} is declared otherwise than the store has it`
    return [{ key, found: present, additive: false, why }]
  })
}
