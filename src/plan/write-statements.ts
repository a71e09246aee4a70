import type { Field, Resource } from '../compile/model.ts'
import type { FieldKind } from '../kinds/kinds.ts'
import { absentConstant, column, countedSql, shownColumn } from './absent-values.ts'
import { auditColumns, entryArray, insertEntry } from './audit.ts'
import type { BoundValue } from './bind.ts'
import { bindSlots } from './bind-slots.ts'
import { type Bound, statement } from './bound-statement.ts'
import { type Dialect, ident, idents } from './dialect.ts'
import { eventArray, eventColumns, insertEvent } from './events.ts'
import { insertKey, keyColumns } from './keys.ts'
import { projectStored } from './project.ts'
import { arraySize, arraySql, type BindAt, insertArray, type RowArray } from './row-array.ts'
import { knownField, type RowStatement, rowStatement } from './row-statements.ts'
import { isWaiting, type SearchIndex, searchIndexes } from './search-index.ts'
import { Binds, type Statement } from './statement.ts'
import { ValueParts } from './value-parts.ts'

/**
 * Every statement that changes rows of a resource. Only `write/` sends them, and a test proves it. Where a statement answers with
 * a row, that is `[json of every stored field, version]`, as `lockRow` answers; or `[1]`, where the dialect `returnsRows` not.
 */

/** Inserts a row from the values of all its fields, in their order, and its words. */
export function insertRow(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const { columns, values } = insertion(resource, binds)
  return rowStatement(`INSERT INTO ${ident(resource.table)} (${columns}) VALUES (${values})`, binds)
}

/** The same, and answers with the row as it is stored. */
export function insertRowAndRead(resource: Resource, dialect: Dialect): RowStatement {
  const inserting = insertRow(resource, dialect)
  return Object.freeze({ ...inserting, text: inserting.text + returningRow(resource, new Binds(dialect)) })
}

/** Inserts so many rows from the values of each: all its fields, in their order, its words, and its version. */
export function insertWholeRows(resource: Resource, count: number, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const columnsOfRow = resource.fields.length + resource.searches.length + 1
  const rows = Array.from({ length: count }, (_, row) =>
    insertion(resource, binds, row * columnsOfRow, (at) => binds.useAnew(at, 'integer')),
  )
  const values = rows.map((row) => `(${row.values})`).join(', ')
  return rowStatement(`INSERT INTO ${ident(resource.table)} (${rows[0]?.columns}) VALUES ${values}`, binds)
}

/** The values of a row in an array: all fields, in their order, the words, and the version. Those of a new list have one time. */
export const rowArray = (resource: Resource): RowArray => ({
  table: resource.table,
  columns: [
    ...resource.fields.map(({ column, kind }) => ({ name: column, kind })),
    ...searchIndexes(resource).map(({ words }) => ({ name: words, kind: 'string' as const })),
    { name: 'version', kind: 'integer' as const },
  ],
  common: ['created_at', 'updated_at', 'version'],
})

/** Inserts many rows. Binds them as an array. */
export function insertRows(resource: Resource, alike: boolean, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const text = insertionOfMany(resource, binds, alike, (index, kind) => binds.use(index, kind))
  return rowStatement(text, binds)
}

function insertionOfMany(resource: Resource, binds: Binds, alike: boolean, bind: BindAt, from = ''): string {
  const array = rowArray(resource)
  const { rows, columnSql } = arraySql(binds.dialect, array, alike, bind)
  const all = [
    ...(resource.shared ? [] : [{ name: 'account_id', value: binds.use('account', 'id') }]),
    ...array.columns.map(({ name }) => ({ name, value: columnSql(name) })),
    ...searchIndexes(resource).map(({ version }) => ({ name: version, value: columnSql('version') })),
  ]
  const values = all.map(({ value }) => value).join(', ')
  // In one order, whoever sends them: two lists with the same unique values in other orders would each wait for a row of the other.
  const [unique = []] = resource.uniques
  const keys = unique.map((name) => columnSql(knownField(resource, name).column))
  const order = keys.length > 0 ? ` ORDER BY ${keys.join(', ')}` : ''
  return `INSERT INTO ${ident(resource.table)} (${idents(all.map(({ name }) => name))}) SELECT ${values} FROM (${rows}) g${from}${order}`
}

/** Sets references (bound in the order of their names), as the last part of inserting a row: its time stays. Answers with the row. */
export function fillReferences(resource: Resource, names: readonly string[], dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const sets = names.map(
    (name, at) => `${ident(knownField(resource, name).column)} = ${binds.use(at, 'reference')}`,
  )
  // References are not searched: words that were those of the row still are.
  for (const { version } of searchIndexes(resource)) {
    const column = ident(version)
    sets.push(`${column} = CASE WHEN ${column} = "version" THEN "version" + 1 ELSE ${column} END`)
  }
  const text = `UPDATE ${ident(resource.table)} SET ${sets.join(', ')}, "version" = "version" + 1 WHERE ${binds.row(resource)}${returningRow(resource, binds)}`
  return rowStatement(text, binds)
}

const returningRow = (resource: Resource, binds: Binds): string =>
  binds.dialect.returnsRows ? ` RETURNING ${projectStored(resource, '', binds)}, "version"` : ' RETURNING 1'

function insertion(
  resource: Resource,
  binds: Binds,
  from = 0,
  version: (index: number) => string = () => '1',
): { columns: string; values: string } {
  const account = resource.shared ? [] : [{ name: 'account_id', value: binds.useAnew('account', 'id') }]
  const fields = resource.fields.map((field, index) => ({
    name: field.column,
    value: binds.use(from + index, field.kind),
  }))
  const searches = searchIndexes(resource)
  const words = searches.map((search, at) => ({
    name: search.words,
    value: binds.use(from + fields.length + at, 'string'),
  }))
  const versions = ['version', ...searches.map((search) => search.version)].map((name) => ({
    name,
    value: version(from + fields.length + words.length),
  }))
  const all = [...account, ...fields, ...words, ...versions]
  return {
    columns: all.map(({ name }) => ident(name)).join(', '),
    values: all.map(({ value }) => value).join(', '),
  }
}

/** What is inserted along with a new row. */
export type Along = { readonly key: boolean; readonly event: boolean; readonly entry: boolean }

/** The values of a row, of `keyRow`, of `eventColumns` and of `auditColumns`; null where there is no such row. */
export interface AlongGiven {
  readonly account: string
  readonly row: readonly BoundValue[]
  readonly key: readonly BoundValue[] | null
  readonly event: readonly BoundValue[] | null
  readonly entry: readonly BoundValue[] | null
}

type AlongStatement = Pick<Statement<AlongGiven>, 'text' | 'slots' | 'bind'>

/**
 * A create with its Idempotency-Key, its event, its audit entry, or several of them, as one statement. The key is inserted first, with the answer, and the others
 * only if the key was new. A second caller waits on the key's index until the first has committed, and then gets no row.
 * Writes one row, or none when the key exists.
 */
export function insertRowAlong(
  resource: Resource,
  { key, event, entry }: Along,
  dialect: Dialect,
): AlongStatement {
  const binds = new Binds(dialect)
  const parts = new ValueParts<AlongGiven>()
  // The slots of the first part are the places of its values.
  parts.add(resource.fields.length + resource.searches.length, ({ row }) => row)
  const { columns, values } = insertion(resource, binds)
  const account = binds.use('account', 'id')
  const from = (slots: readonly number[]) => (index: number, kind: FieldKind) =>
    binds.use(slots[index] as number, kind)
  const ofKey = from(key ? parts.add(keyColumns.length, (given) => given.key ?? []) : [])
  const ofEvent = from(event ? parts.add(eventColumns.length, (given) => given.event ?? []) : [])
  const ofEntry = from(entry ? parts.add(auditColumns.length, (given) => given.entry ?? []) : [])
  const claim = key ? [`claim AS (${insertKey(account, ofKey)} RETURNING 1)`] : []
  const claimed = key ? 'FROM claim' : ''
  const told = event ? [`told AS (${insertEvent(dialect, account, ofEvent, claimed)})`] : []
  const noted = entry ? [`noted AS (${insertEntry(account, ofEntry, claimed)})`] : []
  const row = key ? `SELECT ${values} FROM claim` : `VALUES (${values})`
  const text = `WITH ${[...claim, ...told, ...noted].join(', ')} INSERT INTO ${ident(resource.table)} (${columns}) ${row}`
  return alongStatement(text, binds, parts)
}

/** Whether the rows of a list are alike, and the events and entries that are inserted along with them: null where there are none. */
export type ListAlong = {
  readonly key: boolean
  readonly rows: boolean
  readonly events: boolean | null
  readonly entries: boolean | null
}

/** The same for the rows of a list. Each part but the key is given as an array. */
export function insertRowsAlong(
  resource: Resource,
  { key, rows, events, entries }: ListAlong,
  dialect: Dialect,
): AlongStatement {
  const binds = new Binds(dialect)
  const parts = new ValueParts<AlongGiven>()
  // Only where a part needs it: PostgreSQL refuses a statement with a parameter that is bound and not used, such as that of shared rows alone.
  const account = () => binds.use('account', 'id')
  const part = (size: number, take: (given: AlongGiven) => readonly BoundValue[] | null): BindAt => {
    const slots = parts.add(size, (given) => take(given) ?? [])
    return (index, kind) => binds.use(slots[index] as number, kind)
  }
  const claimed = key ? ', claim' : ''
  const along: string[] = []
  if (key) {
    const bind = part(keyColumns.length, (given) => given.key)
    along.push(`claim AS (${insertKey(account(), bind)} RETURNING 1)`)
  }
  if (events !== null) {
    const bind = part(arraySize(eventArray, events), (given) => given.event)
    along.push(`told AS (${insertArray(dialect, eventArray, events, account(), bind, claimed)})`)
  }
  if (entries !== null) {
    const bind = part(arraySize(entryArray, entries), (given) => given.entry)
    along.push(`noted AS (${insertArray(dialect, entryArray, entries, account(), bind, claimed)})`)
  }
  const bind = part(arraySize(rowArray(resource), rows), (given) => given.row)
  const inserted = insertionOfMany(resource, binds, rows, bind, claimed)
  const text = along.length > 0 ? `WITH ${along.join(', ')} ${inserted}` : inserted
  return alongStatement(text, binds, parts)
}

const alongStatement = (text: string, { slots }: Binds, parts: ValueParts<AlongGiven>): AlongStatement =>
  Object.freeze({
    text,
    slots,
    bind: (given: AlongGiven) => bindSlots(slots, { account: given.account, values: parts.of(given) }),
  })

/** Changes the named fields (bound in that order, then the time, then the words of the row), and answers with the row. */
export function updateRow(resource: Resource, fields: readonly string[], dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const sets = fields.map((name, index) => {
    const field = knownField(resource, name)
    const value = field.counted ? countedSql(field.counted, '', binds) : binds.use(index, field.kind)
    return `${ident(field.column)} = ${value}`
  })
  // A row that the newest version writes has all its values from then on.
  for (const field of resource.fields)
    if ((field.mayLack || field.counted) && !fields.includes(field.name))
      sets.push(`${ident(field.column)} = ${shownColumn(field, '', binds)}`)
  sets.push(`"updated_at" = ${binds.use(fields.length, 'datetime')}`, '"version" = "version" + 1')
  for (const [at, { words, version }] of searchIndexes(resource).entries())
    sets.push(
      `${ident(words)} = ${binds.use(fields.length + 1 + at, 'string')}`,
      `${ident(version)} = "version" + 1`,
    )
  const text = `UPDATE ${ident(resource.table)} SET ${sets.join(', ')} WHERE ${binds.row(resource)}${returningRow(resource, binds)}`
  return rowStatement(text, binds)
}

export function deleteRow(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  return rowStatement(`DELETE FROM ${ident(resource.table)} WHERE ${binds.row(resource)} RETURNING 1`, binds)
}

/** How rows get a value of a field that is required now. */
export interface AbsentStatements {
  /** Rows of all accounts that come after a key: `[id, 1 where it has no value, account]` each. */
  page(after: readonly string[], rows: number): Bound
  /** Gives rows of an account (bound: their ids as a JSON array) what stands for no value. Words of these rows are made anew. */
  readonly fill: RowStatement
}

export function absentStatements(resource: Resource, field: Field, dialect: Dialect): AbsentStatements {
  const table = ident(resource.table)
  const key = resource.shared ? ['id'] : ['account_id', 'id']
  const name = ident(field.column)
  const lacks = `CASE WHEN ${name} IS NULL THEN 1 ELSE 0 END`
  const rows = resource.shared ? `"id", ${lacks}` : `"id", ${lacks}, "account_id"`
  const binds = new Binds(dialect)
  const ids = dialect.listed(binds.use(0, 'json'))
  const words = searchIndexes(resource).filter(({ fields }) => fields.includes(field))
  const sets = [
    `${name} = ${absentConstant(field, dialect)}`,
    ...words.map(({ version }) => `${ident(version)} = NULL`),
  ]
  return {
    page: (after, most) =>
      statement(
        dialect,
        (bind) =>
          `SELECT ${rows} FROM ${table} WHERE (${idents(key)}) > (${after.map((part) => bind('id', part)).join(', ')}) ORDER BY ${idents(key)} LIMIT ${bind('integer', most)}`,
      ),
    fill: rowStatement(
      `UPDATE ${table} SET ${sets.join(', ')} WHERE ${binds.rows(resource, '')}"id" IN (${ids}) AND ${name} IS NULL`,
      binds,
    ),
  }
}

/** How a search of a resource is completed. */
export interface WordStatements {
  /** Rows of the account that wait for their words, locked: `[json of the searched fields, version]` each. */
  readonly waiting: RowStatement
  /** Gives rows their words, from a JSON array (bound) of arrays: id, words, version. A row that has another version since is left out. */
  readonly fill: RowStatement
  /** The same for one row (bound: its words and version). */
  readonly fillOne: RowStatement
}

export function wordStatements(
  resource: Resource,
  search: SearchIndex,
  most: number,
  dialect: Dialect,
): WordStatements {
  const table = ident(resource.table)
  const waiting = new Binds(dialect)
  const members = [knownField(resource, 'id'), ...search.fields].map(
    (field) =>
      `'"${field.name}":' || ${dialect.json(column(field, 't.', dialect), field.kind, field.nullable, field.schema)}`,
  )
  const rows = `SELECT '{' || ${members.join(" || ',' || ")} || '}', t."version" FROM ${table} t${dialect.byPartialIndex(search.waiting)}`
  const where = `${waiting.account(resource.shared, 't.')}${isWaiting(search, 't.', dialect).inQuery}`
  const fill = new Binds(dialect)
  const given = dialect.rowsIn(fill.use(0, 'string'), [
    { name: 'id', kind: 'id' },
    { name: 'words', kind: 'string' },
    { name: 'version', kind: 'integer' },
  ])
  const one = new Binds(dialect)
  const oneVersion = one.use(1, 'integer')
  const oneSet = `${ident(search.words)} = ${one.use(0, 'string')}, ${ident(search.version)} = ${oneVersion}`
  const account = fill.account(resource.shared, 't.')
  const set = `${ident(search.words)} = g."words", ${ident(search.version)} = g."version"`
  return {
    waiting: rowStatement(
      `${rows} WHERE ${where} LIMIT ${most}${dialect.forOwnUpdate}${dialect.skipLocked}`,
      waiting,
    ),
    fill: rowStatement(
      `UPDATE ${table} t SET ${set} FROM (${given}) g WHERE ${account}t."id" = g."id" AND t."version" = g."version"`,
      fill,
    ),
    fillOne: rowStatement(
      `UPDATE ${table} SET ${oneSet} WHERE ${one.row(resource)} AND "version" = ${oneVersion}`,
      one,
    ),
  }
}

/** Accounts with rows that wait for their words: `[account]` each. */
export const accountsWithoutWords = ({ table }: Resource, search: SearchIndex, dialect: Dialect): string =>
  `SELECT DISTINCT t."account_id" FROM ${ident(table)} t${dialect.byPartialIndex(search.waiting)} WHERE ${isWaiting(search, 't.', dialect).inQuery} LIMIT 1000`
