import type { Field, Resource, View, ViewField } from '../compile/model.ts'
import type { Included } from '../request/include.ts'
import { type Dialect, ident, type JsonMember, sqlText } from './dialect.ts'
import type { Binds } from './statement.ts'

/**
 * The rows of lists are joined with a comma and one whitespace character, another one on each level. Compact JSON has
 * none outside strings (and inside they are escaped), so a row can be cut off without parsing anything.
 */
export const separators = [',\n', ',\t', ',\r'] as const
/** Marks around an include that was cut. `read/finish.ts` replaces them by the page of the list. */
export const cutStart = '\x1e'
export const cutEnd = '\x1d'
/** Marks around the version of an embedded row. `read/read-rows.ts` removes them with the version. */
export const versionMark = '\x1f'

/** An SQL expression for the JSON text of a row as a version shows it, with what is included. */
export function projectRow(
  view: View,
  tree: readonly Included[],
  alias: string,
  binds: Binds,
  depth = 0,
  after: readonly string[] = [],
): string {
  const parts: Part[] = []
  for (const field of binds.shownFields(view)) {
    const json = field.field ? shownJson(field, field.field, alias, binds) : complete(sqlText('null'))
    parts.push({ key: field.name, json })
  }
  view.customs.forEach((step, index) => {
    const stored = step.newer.flatMap((field) =>
      field.field ? [{ key: field.name, json: shownJson(field, field.field, alias, binds) }] : [],
    )
    parts.push({ key: `@${index}`, json: complete(objectSql(stored, binds.dialect)) })
  })
  for (const included of tree) {
    const sql =
      included.relation.relation.kind === 'has-many'
        ? manySql(included, alias, binds, depth + 1)
        : oneSql(included, alias, binds, depth)
    parts.push({ key: included.relation.name, json: complete(sql) })
  }
  return objectSql(parts, binds.dialect, after)
}

/** Every stored field of a row, in the store's names: what updates and hooks read. */
export const projectStored = (resource: Resource, alias: string, binds: Binds): string =>
  objectSql(
    resource.fields.map((field) => ({
      key: field.name,
      json: binds.dialect.jsonMember(column(field, alias), field.kind, field.nullable, field.schema),
    })),
    binds.dialect,
  )

interface Part {
  readonly key: string
  readonly json: JsonMember
}

const complete = (sql: string): JsonMember => ({ sql, isQuoted: false })

/** The quotes around a value join the literals beside it: fewer pieces per row. */
const objectSql = (parts: readonly Part[], dialect: Dialect, after: readonly string[] = []): string => {
  const pieces: string[] = []
  let literal = '{'
  parts.forEach(({ key, json }, index) => {
    literal += `${index === 0 ? '' : ','}${JSON.stringify(key)}:${json.isQuoted ? '"' : ''}`
    pieces.push(sqlText(literal), json.sql)
    literal = json.isQuoted ? '"' : ''
  })
  return dialect.concat([...pieces, sqlText(`${literal}}`), ...after])
}

export const column = (field: Field, alias: string): string => `${alias}${ident(field.column)}`

function shownJson(field: ViewField, stored: Field, alias: string, binds: Binds): JsonMember {
  const { dialect } = binds
  const source = column(stored, alias)
  if (field.codec) {
    const encoded = dialect.encode(source, field.codec)
    return complete(
      stored.nullable ? `(CASE WHEN ${source} IS NULL THEN 'null' ELSE ${encoded} END)` : `(${encoded})`,
    )
  }
  if (!field.values) return dialect.jsonMember(source, stored.kind, stored.nullable, stored.schema)
  const values = { enum: [...(stored.schema.enum ?? []), ...field.values.down.values()] }
  return dialect.jsonMember(shownValueSql(field, source), stored.kind, stored.nullable, values)
}

const shownValueSql = (field: ViewField, source: string): string => {
  const cases = [...(field.values?.down ?? [])]
    .filter(([kept, shown]) => kept !== shown)
    .map(([kept, shown]) => `WHEN ${sqlText(kept)} THEN ${sqlText(shown)}`)
  return cases.length === 0 ? source : `(CASE ${source} ${cases.join(' ')} ELSE ${source} END)`
}

/** The expression that a sort compares: the shown value, so that an older version sorts by its own words. */
export function sortSql(field: ViewField, stored: Field, alias: string, dialect: Dialect): string {
  const source = column(stored, alias)
  if (field.codec) return dialect.ordered(source, field.codec)
  return shownValueSql(field, source)
}

function oneSql(included: Included, outer: string, binds: Binds, depth: number): string {
  const { relation } = included.relation
  if (relation.kind !== 'belongs-to') throw new Error(`${relation.name} is not a belongs-to`)
  const view = included.relation.target()
  const alias = binds.alias()
  const mark = binds.dialect.literal(versionMark)
  const version = binds.marksVersions ? [mark, binds.dialect.asText(`${alias}"version"`), mark] : []
  const row = projectRow(view, included.children, alias, binds, depth, version)
  const where = `${binds.rows(view.resource, alias)}${alias}"id" = ${outer}${ident(relation.field)}`
  // Whether a row may be seen can change without its version, so the absence of one has a mark too.
  const absent = binds.marksVersions && view.resource.rules.read ? `null${versionMark}${versionMark}` : 'null'
  return `coalesce((SELECT ${row} FROM ${ident(view.resource.table)} ${alias.slice(0, -1)} WHERE ${where}), ${binds.dialect.literal(absent)})`
}

function manySql(included: Included, outer: string, binds: Binds, depth: number): string {
  const { relation, cap } = included.relation
  if (relation.kind !== 'has-many') throw new Error(`${relation.name} is not a has-many`)
  const { dialect } = binds
  const view = included.relation.target()
  const alias = binds.alias()
  const rows = `${alias.slice(0, -1)}r`
  const separator = separators[depth]
  const sub = view.under.find((one) => one.relation.relation === relation)
  if (!separator || !sub) throw new Error(`${relation.name} cannot be included this deep`)
  const cut = binds.cuts.push({ sub, view, cap, separator }) - 1
  const row = projectRow(view, included.children, alias, binds, depth)
  const where = `${binds.rows(view.resource, alias)}${alias}${ident(relation.by.field)} = ${outer}"id"`
  const source = `SELECT ${row} AS j FROM ${ident(view.resource.table)} ${alias.slice(0, -1)} WHERE ${where} ORDER BY ${alias}"id" LIMIT ${cap + 1}`
  const full = `count(*) > ${cap}`
  const end = `CASE WHEN ${full} THEN ${dialect.literal(`],"page":${cutEnd}${cut}:`)} || ${outer}"id" || ${dialect.literal(cutEnd)} ELSE ${sqlText(`],"page":{"limit":${cap},"has_more":false,"next_cursor":null,"next":null}}`)} END`
  const start = `CASE WHEN ${full} THEN ${dialect.literal(`${cutStart}{"data":[`)} ELSE '{"data":[' END`
  return `(SELECT ${start} || coalesce(${dialect.join(`${rows}.j`, separator)}, '') || ${end} FROM (${source}) ${rows})`
}
