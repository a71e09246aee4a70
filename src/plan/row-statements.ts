import type { Field, Resource } from '../compile/model.ts'
import type { Rule } from '../compile/rules/checked-rule.ts'
import type { Grants } from '../request/grants.ts'
import { type Dialect, ident } from './dialect.ts'
import { column, projectStored } from './project.ts'
import { ruleSql } from './rule-sql.ts'
import { Binds, type Statement } from './statement.ts'

/** SQL that reads or locks stored rows: `slots` says what it binds. */
export type RowStatement = Pick<Statement, 'text' | 'slots'>

export const rowStatement = (text: string, binds: Binds): RowStatement =>
  Object.freeze({ text, slots: binds.slots })

/** What others cannot do to a row until the transaction ends: change it, or also reference it. */
export type Lock = 'to-change' | 'to-delete'

/** The stored row: `[json of every stored field, version]`. */
export function lockRow(resource: Resource, dialect: Dialect, lock: Lock): RowStatement {
  const locking = { 'to-change': dialect.forOwnUpdate, 'to-delete': dialect.forUpdate }[lock]
  const binds = new Binds(dialect)
  const text = `SELECT ${projectStored(resource, '', binds)}, "version" FROM ${ident(resource.table)} WHERE ${binds.row(resource)}${locking}`
  return rowStatement(text, binds)
}

/**
 * Locks the rows that name one of several others (bound: their ids as a JSON array) through a field:
 * `[json of every stored field, version]` each.
 */
export function lockRowsNaming(resource: Resource, field: string, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const ids = dialect.listed(binds.use(0, 'json'))
  const table = ident(resource.table)
  const where = dialect.byIndex(table, binds.rows(resource, ''), `${ident(field)} IN (${ids})`)
  const text = `SELECT ${projectStored(resource, '', binds)}, "version" FROM ${table} WHERE ${where} ORDER BY "id"${dialect.forUpdate}`
  return rowStatement(text, binds)
}

/** Fields that equal the bound values, in that order, and fields that are NULL. */
export interface Where {
  readonly set: readonly string[]
  readonly unset: readonly string[]
}

/** Whose sight a statement has: a caller's, which rules narrow, or (null) that of the service itself. */
export type Sight = Grants | null

/** Stored rows whose fields equal the bound values, oldest first: `[json]` each. */
export function findRows(resource: Resource, where: Where, sight: Sight, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect, sight)
  const alias = binds.alias()
  const text = `SELECT ${projectStored(resource, alias, binds)} FROM ${from(resource, alias)} WHERE ${equals(resource, where, alias, binds)} ORDER BY ${alias}"id" LIMIT 1000`
  return rowStatement(text, binds)
}

/** `"loans" t1` */
const from = ({ table }: Resource, alias: string): string => `${ident(table)} ${alias.slice(0, -1)}`

/** The sum of a field over the rows whose fields equal the bound values: `[JSON]`. */
export function sumRows(
  resource: Resource,
  of: string,
  where: Where,
  sight: Sight,
  dialect: Dialect,
): RowStatement {
  const binds = new Binds(dialect, sight)
  const alias = binds.alias()
  const field = knownField(resource, of)
  const sum = `coalesce(sum(${column(field, alias)}), 0)`
  const text = `SELECT ${dialect.asText(dialect.json(sum, field.kind, false, field.schema))} FROM ${from(resource, alias)} WHERE ${equals(resource, where, alias, binds)}`
  return rowStatement(text, binds)
}

function equals(resource: Resource, { set, unset }: Where, alias: string, binds: Binds): string {
  const terms = set.map((name, index) => {
    const field = knownField(resource, name)
    return `${column(field, alias)} = ${binds.use(index, field.kind)}`
  })
  const nulls = unset.map((name) => `${column(knownField(resource, name), alias)} IS NULL`)
  return `${binds.rows(resource, alias)}${['1 = 1', ...terms, ...nulls].join(' AND ')}`
}

export const knownField = (resource: Resource, name: string): Field => {
  const field = resource.field.get(name)
  if (!field) throw new Error(`${resource.name} has no field ${name}`)
  return field
}

/** Whether a row exists: `[1]`. */
export function existsRow(resource: Resource, sight: Sight, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect, sight)
  const alias = binds.alias()
  return rowStatement(`SELECT 1 FROM ${from(resource, alias)} WHERE ${binds.row(resource, alias)}`, binds)
}

/** A rule, and the scopes that answer it. */
export interface Judgement {
  readonly rule: Rule
  readonly grants: Grants
}

/** Whether a row of the account passes rules: 1 or 0 for each. */
export function judgeRow(
  resource: Resource,
  judgements: readonly Judgement[],
  dialect: Dialect,
): RowStatement {
  const binds = new Binds(dialect)
  const alias = binds.alias()
  const verdicts = judgements.map(
    ({ rule, grants }) => `CASE WHEN ${ruleSql(rule, grants, alias, binds) ?? '1 = 1'} THEN 1 ELSE 0 END`,
  )
  return rowStatement(
    `SELECT ${verdicts.join(', ')} FROM ${from(resource, alias)} WHERE ${binds.row(resource, alias)}`,
    binds,
  )
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
  const where = `${binds.rows(resource, '')}${dialect.selective(`${ident(field)} IN (${ids})`)}`
  const limit = most === 'one' ? ' LIMIT 1' : ''
  return rowStatement(`SELECT "id" FROM ${ident(resource.table)} WHERE ${where}${limit}`, binds)
}
