import type { Resource } from '../compile/model.ts'
import type { FieldKind } from '../kinds/kinds.ts'
import { type Dialect, ident } from './dialect.ts'
import { insertEvent } from './events.ts'
import { insertKey, keyColumns } from './keys.ts'
import { projectStored } from './project.ts'
import { knownField, type RowStatement, rowStatement } from './row-statements.ts'
import { Binds } from './statement.ts'

/**
 * Every statement that changes rows of a resource. Only `write/` sends them, and a test proves it. Where a statement answers with
 * a row, that is `[json of every stored field, version]`, as `lockRow` answers; or `[1]`, where the dialect `returnsRows` not.
 */

/** Inserts a row from the values of all its fields, in their order. */
export function insertRow(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const { columns, values } = insertion(resource, binds)
  return rowStatement(`INSERT INTO ${ident(resource.table)} (${columns}) VALUES (${values})`, binds)
}

/** The same, and answers with the row as it is stored. */
export function insertRowAndRead(resource: Resource, dialect: Dialect): RowStatement {
  const { text, slots } = insertRow(resource, dialect)
  return Object.freeze({ text: text + returningRow(resource, new Binds(dialect)), slots })
}

/** Inserts a row from the values of all its fields, in their order, and its version. */
export function insertWholeRow(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const { columns, values } = insertion(resource, binds, (at) => binds.use(at, 'integer'))
  return rowStatement(`INSERT INTO ${ident(resource.table)} (${columns}) VALUES (${values})`, binds)
}

/** Inserts many rows from a JSON array (bound) of arrays: the values of all fields, in their order, and the version. */
export function insertRows(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const account = resource.shared ? [] : [{ name: 'account_id', value: binds.use('account', 'id') }]
  const columns = [
    ...resource.fields.map(({ column, kind }) => ({ name: column, kind })),
    { name: 'version', kind: 'integer' as const },
  ]
  const given = dialect.rowsIn(binds.use(0, 'json'), columns)
  const names = [...account, ...columns].map(({ name }) => ident(name)).join(', ')
  const values = [...account.map(({ value }) => value), 'g.*'].join(', ')
  const text = `INSERT INTO ${ident(resource.table)} (${names}) SELECT ${values} FROM (${given}) g`
  return rowStatement(text, binds)
}

/** Sets references (bound in the order of their names), as the last part of inserting a row: its time stays. Answers with the row. */
export function fillReferences(resource: Resource, names: readonly string[], dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const sets = names.map(
    (name, at) => `${ident(knownField(resource, name).column)} = ${binds.use(at, 'reference')}`,
  )
  const text = `UPDATE ${ident(resource.table)} SET ${sets.join(', ')}, "version" = "version" + 1 WHERE ${binds.row(resource)}${returningRow(resource, binds)}`
  return rowStatement(text, binds)
}

const returningRow = (resource: Resource, binds: Binds): string =>
  binds.dialect.returnsRows ? ` RETURNING ${projectStored(resource, '', binds)}, "version"` : ' RETURNING 1'

function insertion(
  resource: Resource,
  binds: Binds,
  version: (index: number) => string = () => '1',
): { columns: string; values: string } {
  const account = resource.shared ? [] : [{ name: 'account_id', value: binds.use('account', 'id') }]
  const fields = resource.fields.map((field, index) => ({
    name: field.column,
    value: binds.use(index, field.kind),
  }))
  const all = [...account, ...fields]
  return {
    columns: [...all.map(({ name }) => ident(name)), '"version"'].join(', '),
    values: [...all.map(({ value }) => value), version(fields.length)].join(', '),
  }
}

/** What is inserted along with a new row. */
export interface Along {
  readonly key: boolean
  readonly event: boolean
}

/**
 * A create with its Idempotency-Key, its event or both as one statement. The key is inserted first, with the answer, and the others
 * only if the key was new. A second caller waits on the key's index until the first has committed, and then gets no row.
 * Binds the row's values, those of `keyRow` and those of `eventColumns`. Writes one row, or none when the key exists.
 */
export function insertRowAlong(resource: Resource, { key, event }: Along, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const { columns, values } = insertion(resource, binds)
  const account = binds.use('account', 'id')
  const from = (first: number) => (index: number, kind: FieldKind) => binds.use(first + index, kind)
  const firstOfKey = resource.fields.length
  const firstOfEvent = firstOfKey + (key ? keyColumns.length : 0)
  const claim = key ? [`claim AS (${insertKey(account, from(firstOfKey))} RETURNING 1)`] : []
  const claimed = key ? 'FROM claim' : ''
  const told = event ? [`told AS (${insertEvent(dialect, account, from(firstOfEvent), claimed)})`] : []
  const row = key ? `SELECT ${values} FROM claim` : `VALUES (${values})`
  const text = `WITH ${[...claim, ...told].join(', ')} INSERT INTO ${ident(resource.table)} (${columns}) ${row}`
  return rowStatement(text, binds)
}

/** Changes the named fields (bound in that order, then the time), and answers with the row. */
export function updateRow(resource: Resource, fields: readonly string[], dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const sets = fields.map((name, index) => {
    const field = knownField(resource, name)
    return `${ident(field.column)} = ${binds.use(index, field.kind)}`
  })
  sets.push(`"updated_at" = ${binds.use(fields.length, 'datetime')}`, '"version" = "version" + 1')
  const text = `UPDATE ${ident(resource.table)} SET ${sets.join(', ')} WHERE ${binds.row(resource)}${returningRow(resource, binds)}`
  return rowStatement(text, binds)
}

export function deleteRow(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  return rowStatement(`DELETE FROM ${ident(resource.table)} WHERE ${binds.row(resource)} RETURNING 1`, binds)
}
