import type { HasManyModel } from '../compile/model.ts'
import { ident } from './dialect.ts'
import type { Binds } from './statement.ts'
import { referenceColumn } from './stored-values.ts'

/** The rows that a has-many leads to from one row, as parts of a SELECT. */
export interface OwnedRows {
  readonly from: string
  readonly where: string
}

/**
 * Of a many-to-many, a row that is linked several times is one row, and a link that the caller may not read links nothing. CROSS JOIN makes
 * SQLite begin with the links of the owner: it would otherwise read all rows of the account in the order that is asked for.
 */
export function belowOwner(
  { by, through, target }: HasManyModel,
  alias: string,
  ownerId: string,
  binds: Binds,
): OwnedRows {
  const rows = `${ident(target.table)} ${alias.slice(0, -1)}`
  if (!through) return { from: rows, where: `${alias}${ident(referenceColumn(by))} = ${ownerId}` }
  const { source } = through
  const join = binds.alias()
  const linked = `${join.slice(0, -1)}l`
  const owned = binds.dialect.selective(`${join}${ident(referenceColumn(by))} = ${ownerId}`)
  const ids = `SELECT DISTINCT ${join}${ident(referenceColumn(through))} AS "id" FROM ${ident(source.table)} ${join.slice(0, -1)} WHERE ${binds.rows(source, join)}${owned}`
  return { from: `(${ids}) ${linked} CROSS JOIN ${rows}`, where: `${alias}"id" = ${linked}."id"` }
}
