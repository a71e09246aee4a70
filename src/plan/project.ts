import type { Field, Resource, View, ViewField } from '../compile/model.ts'
import type { Included } from '../request/include.ts'
import { type Dialect, ident, sqlText } from './dialect.ts'
import type { Binds } from './statement.ts'

/**
 * The rows of lists are joined with a comma and one whitespace character, another one on each level. Compact JSON has
 * none outside strings (and inside they are escaped), so a row can be cut off without parsing anything.
 */
export const separators = [',\n', ',\t', ',\r'] as const
/** Stand before and after an include that was cut, until the server writes its continuation there. */
export const cutStart = '\x1e'
export const cutEnd = '\x1d'
/** Stands before and after the version of an embedded row, until the server has taken it out. */
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
  for (const field of view.fields) {
    if (field.writeOnly) continue
    parts.push({
      key: field.name,
      sql: field.field ? shownSql(field, field.field, alias, binds) : sqlText('null'),
    })
  }
  view.customs.forEach((step, index) => {
    const stored = step.newer.flatMap((field) =>
      field.field ? [{ key: field.name, sql: shownSql(field, field.field, alias, binds) }] : [],
    )
    parts.push({ key: `@${index}`, sql: objectSql(stored, binds.dialect) })
  })
  for (const included of tree) {
    const sql =
      included.relation.relation.kind === 'has-many'
        ? manySql(included, alias, binds, depth + 1)
        : oneSql(included, alias, binds, depth)
    parts.push({ key: included.relation.name, sql })
  }
  return objectSql(parts, binds.dialect, after)
}

/** Every stored field of a row, in the store's names: what updates and hooks read. */
export const projectStored = (resource: Resource, alias: string, binds: Binds): string =>
  objectSql(
    resource.fields.map((field) => ({
      key: field.name,
      sql: binds.dialect.json(column(field, alias), field.kind, field.nullable),
    })),
    binds.dialect,
  )

interface Part {
  readonly key: string
  readonly sql: string
}

const quoteBefore = `'"' || `
const quoteAfter = ` || '"'`

/** A quote at the edge of a value joins the literal beside it: fewer pieces per row. */
const objectSql = (parts: readonly Part[], dialect: Dialect, after: readonly string[] = []): string => {
  const pieces: string[] = []
  let literal = '{'
  parts.forEach(({ key, sql }, index) => {
    literal += `${index === 0 ? '' : ','}${JSON.stringify(key)}:`
    const quoted = sql.startsWith(quoteBefore) && sql.endsWith(quoteAfter)
    const inner = quoted ? sql.slice(quoteBefore.length, -quoteAfter.length) : sql
    pieces.push(sqlText(quoted ? `${literal}"` : literal), inner)
    literal = quoted ? '"' : ''
  })
  return dialect.concat([...pieces, sqlText(`${literal}}`), ...after])
}

export const column = (field: Field, alias: string): string => `${alias}${ident(field.column)}`

function shownSql(field: ViewField, stored: Field, alias: string, binds: Binds): string {
  const { dialect } = binds
  const source = column(stored, alias)
  if (field.codec) {
    const encoded = dialect.encode(source, field.codec)
    return stored.nullable ? `(CASE WHEN ${source} IS NULL THEN 'null' ELSE ${encoded} END)` : `(${encoded})`
  }
  if (field.values && isPlain(stored) && [...field.values.down.values()].every(isPlainText))
    return dialect.json(shownValueSql(field, source), 'id', stored.nullable)
  if (field.values)
    return `(CASE ${source} ${valueCases(field, (shown) => JSON.stringify(shown))} ELSE ${dialect.json(source, stored.kind, true)} END)`
  return dialect.json(source, isPlain(stored) ? 'id' : stored.kind, stored.nullable)
}

/** Values that are the same inside quotes as outside, like an id's, need no escaping. */
const isPlain = ({ kind, schema }: Field): boolean =>
  (kind === 'enum' || kind === 'state') && (schema.enum ?? ['"']).every((value) => isPlainText(String(value)))

const isPlainText = (text: string): boolean => /^[\w .:-]*$/.test(text)

const shownValueSql = (field: ViewField, source: string): string =>
  `(CASE ${source} ${valueCases(field, (shown) => shown)} ELSE ${source} END)`

const valueCases = (field: ViewField, write: (shown: string) => string): string =>
  [...(field.values?.down ?? [])]
    .filter(([kept, shown]) => kept !== shown)
    .map(([kept, shown]) => `WHEN ${sqlText(kept)} THEN ${sqlText(write(shown))}`)
    .join(' ') || "WHEN NULL THEN ''"

/** What a sort by this field goes by: the shown value, so that an older version's order is the order of its own words. */
export function sortSql(field: ViewField, stored: Field, alias: string, dialect: Dialect): string {
  const source = column(stored, alias)
  if (field.codec) return dialect.ordered(source, field.codec)
  if (!field.values || [...field.values.down].every(([kept, shown]) => kept === shown)) return source
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
  const where = `${binds.account(view.resource.shared, alias)}${alias}"id" = ${outer}${ident(relation.field)}`
  return `coalesce((SELECT ${row} FROM ${ident(view.resource.table)} ${alias.slice(0, -1)} WHERE ${where}), 'null')`
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
  const where = `${binds.account(view.resource.shared, alias)}${alias}${ident(relation.by.field)} = ${outer}"id"`
  const source = `SELECT ${row} AS j FROM ${ident(view.resource.table)} ${alias.slice(0, -1)} WHERE ${where} ORDER BY ${alias}"id" LIMIT ${cap + 1}`
  const full = `count(*) > ${cap}`
  const end = `CASE WHEN ${full} THEN ${dialect.literal(`],"page":${cutEnd}${cut}:`)} || ${outer}"id" || ${dialect.literal(cutEnd)} ELSE ${sqlText(`],"page":{"limit":${cap},"has_more":false,"next_cursor":null,"next":null}}`)} END`
  const start = `CASE WHEN ${full} THEN ${dialect.literal(`${cutStart}{"data":[`)} ELSE '{"data":[' END`
  return `(SELECT ${start} || coalesce(${dialect.join(`${rows}.j`, separator)}, '') || ${end} FROM (${source}) ${rows})`
}
