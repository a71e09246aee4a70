import type { Field, Resource } from '../compile/model.ts'
import { type Dialect, ident } from './dialect.ts'
import { column, projectStored } from './project.ts'
import { Binds, type Statement } from './statement.ts'

/** SQL that reads or locks stored rows: `slots` says what it binds. */
export type RowStatement = Pick<Statement, 'text' | 'slots'>

export const rowStatement = (text: string, binds: Binds): RowStatement =>
  Object.freeze({ text, slots: binds.slots })

/** What others cannot do to a row until the transaction ends: change it, or also reference it. */
export type Lock = 'none' | 'to-change' | 'to-delete'

/** The stored row: `[json of every stored field, version]`. */
export function lockRow(resource: Resource, dialect: Dialect, lock: Lock): RowStatement {
  const locking = { none: '', 'to-change': dialect.forOwnUpdate, 'to-delete': dialect.forUpdate }[lock]
  const binds = new Binds(dialect)
  const where = `${binds.rows(resource, '')}"id" = ${binds.use('id', 'id')}`
  const text = `SELECT ${projectStored(resource, '', binds)}, "version" FROM ${ident(resource.table)} WHERE ${where}${locking}`
  return rowStatement(text, binds)
}

/**
 * Locks the rows that name one of several others (bound: their ids as a JSON array) through a field:
 * `[json of every stored field, version]` each.
 */
export function lockRowsNaming(resource: Resource, field: string, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const ids = dialect.listed(binds.use(0, 'json'))
  const where = `${binds.rows(resource, '')}${ident(field)} IN (${ids})`
  const text = `SELECT ${projectStored(resource, '', binds)}, "version" FROM ${ident(resource.table)} WHERE ${where} ORDER BY "id"${dialect.forUpdate}`
  return rowStatement(text, binds)
}

/** Fields that equal the bound values, in that order, and fields that are NULL. */
export interface Where {
  readonly set: readonly string[]
  readonly unset: readonly string[]
}

/** Stored rows whose fields equal the bound values, oldest first: `[json]` each. */
export function findRows(resource: Resource, where: Where, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const text = `SELECT ${projectStored(resource, '', binds)} FROM ${ident(resource.table)} WHERE ${equals(resource, where, binds)} ORDER BY "id" LIMIT 1000`
  return rowStatement(text, binds)
}

/** The sum of a field over the rows whose fields equal the bound values: `[JSON]`. */
export function sumRows(resource: Resource, of: string, where: Where, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const field = knownField(resource, of)
  const sum = `coalesce(sum(${column(field, '')}), 0)`
  const text = `SELECT ${dialect.asText(dialect.json(sum, field.kind, false, field.schema))} FROM ${ident(resource.table)} WHERE ${equals(resource, where, binds)}`
  return rowStatement(text, binds)
}

function equals(resource: Resource, { set, unset }: Where, binds: Binds): string {
  const terms = set.map((name, index) => {
    const field = knownField(resource, name)
    return `${column(field, '')} = ${binds.use(index, field.kind)}`
  })
  const nulls = unset.map((name) => `${column(knownField(resource, name), '')} IS NULL`)
  return `${binds.rows(resource, '')}${['1 = 1', ...terms, ...nulls].join(' AND ')}`
}

export const knownField = (resource: Resource, name: string): Field => {
  const field = resource.field.get(name)
  if (!field) throw new Error(`${resource.name} has no field ${name}`)
  return field
}

/** Whether a row exists: `[1]`. */
export function existsRow(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const where = `${binds.rows(resource, '')}"id" = ${binds.use('id', 'id')}`
  return rowStatement(`SELECT 1 FROM ${ident(resource.table)} WHERE ${where}`, binds)
}

/** The rows that name one of several others (bound: their ids as a JSON array) through a field: `[id]` each. */
export function rowsNaming(
  resource: Resource,
  field: string,
  most: 'one' | 'all',
  dialect: Dialect,
): RowStatement {
  const binds = new Binds(dialect)
  const ids = dialect.listed(binds.use(0, 'json'))
  const where = `${binds.rows(resource, '')}${ident(field)} IN (${ids})`
  const limit = most === 'one' ? ' LIMIT 1' : ''
  return rowStatement(`SELECT "id" FROM ${ident(resource.table)} WHERE ${where}${limit}`, binds)
}
