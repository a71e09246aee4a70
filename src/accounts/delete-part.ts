import { type Bind, statement } from '../plan/bound-statement.ts'
import { ident, idents } from '../plan/dialect.ts'
import { allRows } from '../store/run-statement.ts'
import type { Row, Transaction } from '../store/store.ts'
import type { AccountPart } from './account-parts.ts'

/** How many rows a transaction deletes at most: few, so that no request waits long. */
const mostDeleted = 500

/** Deletes some rows of a part, or unsets some references: how many. */
export async function deletePart(tx: Transaction, account: string, part: AccountPart): Promise<number> {
  const { table } = part
  const key = table.primaryKey.filter((name) => name !== 'account_id')
  const of = (bind: Bind): string => `${ident(table.name)} WHERE "account_id" = ${bind('string', account)}`
  const isSet = part.kind === 'references' ? ` AND ${ident(part.column)} IS NOT NULL` : ''
  if (key.length === 0) {
    const all = statement(tx.dialect, (bind) => `DELETE FROM ${of(bind)} RETURNING 1`)
    return (await allRows(tx, all)).length
  }
  const some = statement(
    tx.dialect,
    (bind) => `SELECT ${idents(key)} FROM ${of(bind)}${isSet} LIMIT ${mostDeleted}`,
  )
  const found = await allRows(tx, some)
  if (found.length === 0) return 0
  const change = statement(tx.dialect, (bind) => {
    const where = `${of(bind)} AND ${keyIn(tx, part, key, found, bind)} RETURNING 1`
    return part.kind === 'rows'
      ? `DELETE FROM ${where}`
      : `UPDATE ${where.replace(' WHERE ', ` SET ${ident(part.column)} = NULL WHERE `)}`
  })
  return (await allRows(tx, change)).length
}

function keyIn(
  { dialect }: Transaction,
  { table }: AccountPart,
  key: readonly string[],
  found: readonly Row[],
  bind: Bind,
): string {
  const columns = key.map((name) => ({
    name,
    kind: table.columns.find((column) => column.name === name)?.kind ?? ('string' as const),
  }))
  const given = dialect.rowsIn(bind('string', JSON.stringify(found)), columns)
  return `(${idents(key)}) IN (SELECT ${idents(key)} FROM (${given}) g)`
}
