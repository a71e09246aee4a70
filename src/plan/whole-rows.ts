import type { Resource } from '../compile/model.ts'
import { type Dialect, ident } from './dialect.ts'
import { projectStored } from './project.ts'
import { type RowStatement, rowStatement } from './row-statements.ts'
import { Binds } from './statement.ts'

/** Statements of the service itself that read many whole rows, for exports and imports. */

/** The accounts that have rows of a resource: `[account]` each. */
export const accountsWithRows = ({ table }: Resource): string =>
  `SELECT DISTINCT "account_id" FROM ${ident(table)} ORDER BY "account_id"`

/** Rows after an id (bound; `''` for the first ones), by id: `[id, json of every stored field, version]` each. */
export function rowsAfter(resource: Resource, dialect: Dialect, count: number): RowStatement {
  const binds = new Binds(dialect)
  const where = `${binds.rows(resource, '')}"id" > ${binds.use('id', 'id')}`
  const text = `SELECT "id", ${projectStored(resource, '', binds)}, "version" FROM ${ident(resource.table)} WHERE ${where} ORDER BY "id" LIMIT ${count}`
  return rowStatement(text, binds)
}

/** The rows of some ids (bound: as a JSON array): `[json of every stored field]` each. */
export function rowsOfIds(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const ids = dialect.listed(binds.use(0, 'json'))
  const where = `${binds.rows(resource, '')}"id" IN (${ids})`
  return rowStatement(
    `SELECT ${projectStored(resource, '', binds)} FROM ${ident(resource.table)} WHERE ${where}`,
    binds,
  )
}

/**
 * Which of several new rows (bound: as a JSON array of arrays: a number, the id, the values of the set) have the values of a unique set that another
 * row has already: `[number]` each.
 */
export function takenUniques(resource: Resource, set: readonly string[], dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const fields = set.flatMap((name) => resource.field.get(name) ?? [])
  const columns = [
    { name: 'number', kind: 'integer' as const },
    { name: 'id', kind: 'id' as const },
    ...fields.map(({ name, kind }) => ({ name, kind })),
  ]
  const given = dialect.rowsIn(binds.use(0, 'string'), columns)
  const equal = fields.map(({ name, column }) => `s.${ident(column)} = g.${ident(name)}`)
  const where = `${binds.rows(resource, 's.')}${equal.join(' AND ')} AND s."id" <> g."id"`
  // SQLite keeps the order of a CROSS JOIN. With another join and no statistics it reads the whole array for each row of the account.
  return rowStatement(
    `SELECT g."number" FROM (${given}) g CROSS JOIN ${ident(resource.table)} s WHERE ${where}`,
    binds,
  )
}
