import type { Grants } from '../call/grants.ts'
import type { Field, Resource, Rule } from '../compile/model.ts'
import { type OperatorName, operators } from '../kinds/operators.ts'
import { shownColumn } from './absent-values.ts'
import { type Bindings, bindSlots } from './bind-slots.ts'
import { type Dialect, ident } from './dialect.ts'
import { projectStored } from './project.ts'
import { ruleSql } from './rule-sql.ts'
import { Binds, type Statement } from './statement.ts'
import { comparableSql, declaredSql } from './stored-values.ts'

/** SQL that reads or changes stored rows. */
export type RowStatement = Pick<Statement<Bindings>, 'text' | 'slots' | 'bind'>

export const rowStatement = (text: string, { slots }: Binds): RowStatement =>
  Object.freeze({ text, slots, bind: (given: Bindings) => bindSlots(slots, given) })

/** What others cannot do to a row until the transaction ends: change it, or also reference it. */
export type Lock = 'to-change' | 'to-delete'

/** The stored row: `[json of every stored field, version]`. */
export function lockRow(resource: Resource, dialect: Dialect, lock: Lock): RowStatement {
  const locking = { 'to-change': dialect.forOwnUpdate, 'to-delete': dialect.forUpdate }[lock]
  const binds = new Binds(dialect)
  const text = `SELECT ${projectStored(resource, '', binds)}, "version" FROM ${ident(resource.table)} WHERE ${binds.row(resource)}${locking}`
  return rowStatement(text, binds)
}

/** The same of several rows, which are locked to be changed. Bound: their ids as a JSON array, in their order. */
export function lockRows(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const alias = binds.alias()
  const ids = dialect.listed(binds.use(0, 'json'))
  const account = binds.rows(resource, alias)
  const { from: few, where } = dialect.byIds(from(resource, alias), alias, ids, account, dialect.forOwnUpdate)
  const text = `SELECT ${projectStored(resource, alias, binds)}, ${alias}"version" FROM ${few} WHERE ${where}`
  return rowStatement(text, binds)
}

/** The required fields in which a row may have no value. */
export const lackingFields = ({ fields }: Resource): readonly Field[] =>
  fields.filter(({ mayLack }) => mayLack)

/** In which of them a row has none: 1 or 0 for each. */
export function lackingInRow(resource: Resource, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect)
  const flags = lackingFields(resource).map(
    (field) => `CASE WHEN ${ident(field.column)} IS NULL THEN 1 ELSE 0 END`,
  )
  const text = `SELECT ${flags.join(', ')} FROM ${ident(resource.table)} WHERE ${binds.row(resource)}`
  return rowStatement(text, binds)
}

/** How many rows that name others are read before the others of them are measured. */
export const namingAtFirst = 50

/** The first rows by their ids, or all that follow one of them (bound: its id). */
export type NamingPart = 'first' | 'rest'

/**
 * Locks the rows that name one of several others (bound: their ids as a JSON array) through a field:
 * `[json of every stored field, version]` each.
 */
export function lockRowsNaming(
  resource: Resource,
  field: string,
  part: NamingPart,
  dialect: Dialect,
): RowStatement {
  const binds = new Binds(dialect)
  const from = whereNaming(resource, field, part, binds)
  const limit = part === 'first' ? ` LIMIT ${namingAtFirst}` : ''
  const text = `SELECT ${projectStored(resource, '', binds)}, "version" ${from} ORDER BY "id"${limit}${dialect.forUpdate}`
  return rowStatement(text, binds)
}

/** Measures the rest of them, up to one more than `most`: `[how many, the bytes of their JSON]`. */
export function measureRowsNaming(
  resource: Resource,
  field: string,
  most: number,
  dialect: Dialect,
): RowStatement {
  const binds = new Binds(dialect)
  const from = whereNaming(resource, field, 'rest', binds)
  const bytes = dialect.bytes(projectStored(resource, '', binds))
  const text = `SELECT count(*), coalesce(sum("bytes"), 0) FROM (SELECT ${bytes} AS "bytes" ${from} LIMIT ${most + 1}) AS "measured"`
  return rowStatement(text, binds)
}

function whereNaming(resource: Resource, field: string, part: NamingPart, binds: Binds): string {
  const { dialect } = binds
  const ids = dialect.listed(binds.use(0, 'json'))
  const table = ident(resource.table)
  const where = dialect.byIndex(
    table,
    binds.rows(resource, ''),
    `${ident(knownField(resource, field).column)} IN (${ids})`,
  )
  return `FROM ${table} WHERE ${where}${part === 'rest' ? ` AND "id" > ${binds.use(1, 'id')}` : ''}`
}

/** A condition on a field, of the shape that its statement depends on. It binds so many values. */
export type Test = {
  readonly field: string
  readonly operator: OperatorName
  readonly values: number
  /** NULL is one of its values, and is not bound. */
  readonly withNull: boolean
}
/** Conditions that all hold. Their values are bound in their order. */
export type Where = readonly Test[]

export type SortedBy = {
  readonly field: string
  readonly descending: boolean
}

/** Which stored rows are read, and in which order. */
export type Selection = {
  readonly where: Where
  /** The id breaks ties. */
  readonly order: readonly SortedBy[]
  /** The most rows, as the dialect's `firstRows` has it. How many are read is bound. */
  readonly most: number
}

/** Whose sight a statement has: a caller's, which rules narrow, or (null) that of the service itself. */
export type Sight = Grants | null

/** The first stored rows that meet conditions: `[json]` each. */
export function findRows(
  resource: Resource,
  { where, order, most }: Selection,
  sight: Sight,
  dialect: Dialect,
): RowStatement {
  const binds = new Binds(dialect, sight)
  const alias = binds.alias()
  const keys = order.map(({ field, descending }) => {
    const known = knownField(resource, field)
    const nulls = known.nullable ? dialect.nulls(descending) : ''
    return `${declaredSql(known, shownColumn(known, alias, binds))} ${descending ? 'DESC' : 'ASC'}${nulls}`
  })
  const tie = `${alias}"id" ${order.at(-1)?.descending ? 'DESC' : 'ASC'}`
  const rows = `SELECT ${projectStored(resource, alias, binds)} AS j FROM ${from(resource, alias)} WHERE ${meets(resource, where, alias, binds)} ORDER BY ${[...keys, tie].join(', ')}`
  return rowStatement(dialect.firstRows(rows, binds.use('limit', 'integer'), most), binds)
}

/** How many rows meet conditions: `[number]`. */
export function countRowsOf(resource: Resource, where: Where, sight: Sight, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect, sight)
  const alias = binds.alias()
  const text = `SELECT count(*) FROM ${from(resource, alias)} WHERE ${meets(resource, where, alias, binds)}`
  return rowStatement(text, binds)
}

/** Whether a row meets conditions: `[1]`. */
export function anyRowOf(resource: Resource, where: Where, sight: Sight, dialect: Dialect): RowStatement {
  const binds = new Binds(dialect, sight)
  const alias = binds.alias()
  const text = `SELECT 1 FROM ${from(resource, alias)} WHERE ${meets(resource, where, alias, binds)} LIMIT 1`
  return rowStatement(text, binds)
}

/** `"loans" t1` */
export const from = ({ table }: Resource, alias: string): string => `${ident(table)} ${alias.slice(0, -1)}`

/** The sum of a field over the rows that meet conditions: `[JSON]`. */
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
  const sum = `coalesce(sum(${shownColumn(field, alias, binds)}), 0)`
  const text = `SELECT ${dialect.asText(dialect.json(sum, field.kind, false, field.schema))} FROM ${from(resource, alias)} WHERE ${meets(resource, where, alias, binds)}`
  return rowStatement(text, binds)
}

function meets(resource: Resource, where: Where, alias: string, binds: Binds): string {
  let bound = 0
  const terms = where.map(({ field: name, operator, values, withNull }) => {
    const field = knownField(resource, name)
    const parameters = Array.from({ length: values }, () => binds.use(bound++, field.kind))
    // Nothing is in an empty list.
    if (values === 0 && !withNull) return '1 = 0'
    return operators[operator].sql(
      comparableSql(field, shownColumn(field, alias, binds)),
      parameters,
      withNull,
    )
  })
  return `${binds.rows(resource, alias)}${['1 = 1', ...terms].join(' AND ')}`
}

export const knownField = (resource: Resource, name: string): Field => {
  const field = resource.field.get(name)
  if (!field) throw new Error(`${resource.name} has no field ${name}`)
  return field
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

/**
 * Which rows of the account (bound: their ids as a JSON array, or the id of one) exist, and pass a rule where there is one: `[id]` each.
 * One id as an array takes the database a tenth longer for a create whose reference is looked up.
 */
export function passingIds(
  resource: Resource,
  judgement: Judgement | null,
  bound: 'one' | 'many',
  dialect: Dialect,
): RowStatement {
  const binds = new Binds(dialect)
  const alias = binds.alias()
  const account = binds.rows(resource, alias)
  const few =
    bound === 'one'
      ? { from: from(resource, alias), where: `${account}${alias}"id" = ${binds.use(0, 'id')}` }
      : dialect.byIds(from(resource, alias), alias, dialect.listed(binds.use(0, 'json')), account)
  const rule = judgement && ruleSql(judgement.rule, judgement.grants, alias, binds)
  const where = `${few.where}${rule ? ` AND ${rule}` : ''}`
  return rowStatement(`SELECT ${alias}"id" FROM ${few.from} WHERE ${where}`, binds)
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
  const where = `${binds.rows(resource, '')}${dialect.selective(`${ident(knownField(resource, field).column)} IN (${ids})`)}`
  const limit = most === 'one' ? ' LIMIT 1' : ''
  return rowStatement(`SELECT "id" FROM ${ident(resource.table)} WHERE ${where}${limit}`, binds)
}
