import type { Resource } from '../compile/model.ts'
import { type Dialect, ident } from './dialect.ts'
import { projectStored } from './project.ts'
import { type RowStatement, rowStatement } from './row-statements.ts'
import { Binds } from './statement.ts'

/** Statements of the service itself that read many whole rows, for exports. */

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
