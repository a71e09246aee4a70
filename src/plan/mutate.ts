import type { Field, Resource, SumFeed } from '../compile/model.ts'
import { type Dialect, ident } from './dialect.ts'
import { insertKey } from './keys.ts'
import { column, projectStored } from './project.ts'
import { Binds, type Statement } from './statement.ts'

/** SQL that binds the account first, then the values in the order its comment names. */
export interface Mutation {
  readonly text: string
  readonly slots: Statement['slots']
}

const made = (text: string, binds: Binds): Mutation => Object.freeze({ text, slots: binds.slots })

/** Inserts a row from the values of all its fields, in their order. What it looks like is known to whoever made it. */
export function insertRow(resource: Resource, dialect: Dialect): Mutation {
  const binds = new Binds(dialect)
  const { columns, values } = insertion(resource, binds)
  return made(`INSERT INTO ${ident(resource.table)} (${columns}) VALUES (${values})`, binds)
}

function insertion(resource: Resource, binds: Binds): { columns: string; values: string } {
  const account = resource.shared ? [] : [{ name: 'account_id', value: binds.use('account', 'id') }]
  const fields = resource.fields.map((field, index) => ({
    name: field.column,
    value: binds.use(index, field.kind),
  }))
  const all = [...account, ...fields]
  return {
    columns: [...all.map(({ name }) => ident(name)), '"version"'].join(', '),
    values: [...all.map(({ value }) => value), '1'].join(', '),
  }
}

/**
 * A create and its Idempotency-Key as one statement: the key is inserted first, with the answer, and the row only if the
 * key was new. A second caller waits on the key's index until the first has committed, and then gets no row.
 * Binds the row's values and those of `keyRow`. Writes one row, or none when the key exists.
 */
export function insertRowWithKey(resource: Resource, dialect: Dialect): Mutation {
  const binds = new Binds(dialect)
  const count = resource.fields.length
  const { columns, values } = insertion(resource, binds)
  const claim = insertKey(binds.use('account', 'id'), (index, kind) => binds.use(count + index, kind))
  const text = `WITH claim AS (${claim} RETURNING 1) INSERT INTO ${ident(resource.table)} (${columns}) SELECT ${values} FROM claim${dialect.afterInsertSelect}`
  return made(text, binds)
}

/** Changes the named fields (bound in that order, then the time): `[version]`. */
export function updateRow(resource: Resource, fields: readonly string[], dialect: Dialect): Mutation {
  const binds = new Binds(dialect)
  const sets = fields.map((name, index) => {
    const field = known(resource, name)
    return `${ident(field.column)} = ${binds.use(index, field.kind)}`
  })
  sets.push(`"updated_at" = ${binds.use(fields.length, 'datetime')}`, '"version" = "version" + 1')
  const where = `${binds.account(resource.shared, '')}"id" = ${binds.use('id', 'id')}`
  const text = `UPDATE ${ident(resource.table)} SET ${sets.join(', ')} WHERE ${where} RETURNING "version"`
  return made(text, binds)
}

export function deleteRow(resource: Resource, dialect: Dialect): Mutation {
  const binds = new Binds(dialect)
  const where = `${binds.account(resource.shared, '')}"id" = ${binds.use('id', 'id')}`
  return made(`DELETE FROM ${ident(resource.table)} WHERE ${where} RETURNING 1`, binds)
}

/** What others cannot do to a row until the transaction ends: change it, or name it as well. */
export type Lock = 'none' | 'to-change' | 'to-delete'

/** The stored row: `[json of every stored field, version]`. */
export function lockRow(
  resource: Resource,
  ownerField: string | null,
  dialect: Dialect,
  lock: Lock,
): Mutation {
  const locking = { none: '', 'to-change': dialect.forOwnUpdate, 'to-delete': dialect.forUpdate }[lock]
  const binds = new Binds(dialect)
  const where = [`${binds.account(resource.shared, '')}"id" = ${binds.use('id', 'id')}`]
  if (ownerField !== null) where.push(`${ident(ownerField)} = ${binds.use('owner', 'id')}`)
  const text = `SELECT ${projectStored(resource, '', binds)}, "version" FROM ${ident(resource.table)} WHERE ${where.join(' AND ')}${locking}`
  return made(text, binds)
}

/** Fields that equal the bound values, in that order, and fields that are NULL. */
export interface Where {
  readonly set: readonly string[]
  readonly unset: readonly string[]
}

/** Stored rows whose fields equal the bound values, oldest first: `[json]` each. */
export function findRows(resource: Resource, where: Where, dialect: Dialect): Mutation {
  const binds = new Binds(dialect)
  const text = `SELECT ${projectStored(resource, '', binds)} FROM ${ident(resource.table)} WHERE ${equals(resource, where, binds)} ORDER BY "id" LIMIT 1000`
  return made(text, binds)
}

/** The sum of an integer field over the rows whose fields equal the bound values: `[text]`. */
export function sumRows(resource: Resource, of: string, where: Where, dialect: Dialect): Mutation {
  const binds = new Binds(dialect)
  const field = resource.field.get(of)
  if (field?.kind !== 'integer') throw new Error(`${resource.name}.${of} is not an integer field`)
  const text = `SELECT ${dialect.asText(`coalesce(sum(${column(field, '')}), 0)`)} FROM ${ident(resource.table)} WHERE ${equals(resource, where, binds)}`
  return made(text, binds)
}

function equals(resource: Resource, { set, unset }: Where, binds: Binds): string {
  const terms = set.map((name, index) => {
    const field = known(resource, name)
    return `${column(field, '')} = ${binds.use(index, field.kind)}`
  })
  const nulls = unset.map((name) => `${column(known(resource, name), '')} IS NULL`)
  return `${binds.account(resource.shared, '')}${['1 = 1', ...terms, ...nulls].join(' AND ')}`
}

const known = (resource: Resource, name: string): Field => {
  const field = resource.field.get(name)
  if (!field) throw new Error(`${resource.name} has no field ${name}`)
  return field
}

/** Makes a sum anew on the owner (bound: its id, then the time), touching it only when it differs: `[sum as text]`. */
export function refreshSum(feed: SumFeed, source: Resource, dialect: Dialect): Mutation {
  const binds = new Binds(dialect)
  const product = feed.of.map((name) => ident(source.field.get(name)?.column ?? name)).join(' * ')
  const sum = `(SELECT coalesce(sum(${product}), 0) FROM ${ident(source.table)} WHERE ${binds.account(source.shared, '')}${ident(feed.by.field)} = ${binds.use('id', 'id')})`
  const target = ident(feed.field.column)
  const where = `${binds.account(feed.on.shared, '')}"id" = ${binds.use('id', 'id')} AND ${dialect.distinct(target, sum)}`
  const text = `UPDATE ${ident(feed.on.table)} SET ${target} = ${sum}, "updated_at" = ${binds.use(0, 'datetime')}, "version" = "version" + 1 WHERE ${where} RETURNING ${dialect.asText(target)}`
  return made(text, binds)
}

/** Whether a row exists: `[1]`. */
export function existsRow(resource: Resource, dialect: Dialect): Mutation {
  const binds = new Binds(dialect)
  const where = `${binds.account(resource.shared, '')}"id" = ${binds.use('id', 'id')}`
  return made(`SELECT 1 FROM ${ident(resource.table)} WHERE ${where}`, binds)
}

/** Keeps a row from being changed by others until the transaction ends: `[1]`. */
export function holdRow(resource: Resource, dialect: Dialect): Mutation {
  const exists = existsRow(resource, dialect)
  return Object.freeze({ ...exists, text: exists.text + dialect.forOwnUpdate })
}

/** The rows that name one of several others (bound: their ids as a JSON array) through a field: `[id]` each. */
export function rowsNaming(
  resource: Resource,
  field: string,
  most: 'one' | 'all',
  dialect: Dialect,
): Mutation {
  const binds = new Binds(dialect)
  const ids = dialect.listed(binds.use(0, 'json'))
  const where = `${binds.account(resource.shared, '')}${ident(field)} IN (${ids})`
  const limit = most === 'one' ? ' LIMIT 1' : ''
  return made(`SELECT "id" FROM ${ident(resource.table)} WHERE ${where}${limit}`, binds)
}
