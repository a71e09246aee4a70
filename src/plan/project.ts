import { type Included, isAnswered } from '../call/included.ts'
import type { Field, Resource, View, ViewField } from '../compile/model.ts'
import { sqlText } from '../kinds/sql.ts'
import { column, columnIn } from './absent-values.ts'
import { belowOwner } from './below-owner.ts'
import { type Dialect, ident, type JsonMember } from './dialect.ts'
import type { Binds } from './statement.ts'
import { declaredSql, referenceColumn, replaced, shownFor } from './stored-values.ts'

/**
 * Between the rows of a page. Compact JSON has no newline outside strings, and inside they are escaped, so the text of a page can be
 * split into rows without parsing it.
 */
export const rowSeparator = ',\n'

/** Ends an embedded list that has more rows than its cap. `read/finish.ts` takes the row past the cap out and writes the page. */
export const cutListEnd = '],"page":null}'

/** An SQL expression for the JSON text of a row as a version shows it, with what is included. */
export function projectRow(view: View, tree: readonly Included[], alias: string, binds: Binds): string {
  const parts = partsOf(binds.shownFields(view), alias, binds)
  view.customs.forEach((step, index) => {
    const stored = step.newer.flatMap((field) =>
      field.field ? [{ key: field.name, json: shownJson(field, field.field, alias, binds) }] : [],
    )
    parts.push({ key: `@${index}`, json: complete(objectSql(stored, binds.dialect)) })
  })
  for (const included of tree) {
    if (isAnswered(included)) {
      parts.push(...referenceTo(included, alias, binds))
      continue
    }
    parts.push({ key: included.relation.name, json: complete(includedSql(included, alias, binds)) })
  }
  return objectSql(parts, binds.dialect)
}

/** The same with these fields alone. */
export const projectFields = (fields: readonly ViewField[], alias: string, binds: Binds): string =>
  objectSql(partsOf(fields, alias, binds), binds.dialect)

const partsOf = (fields: readonly ViewField[], alias: string, binds: Binds): Part[] =>
  fields.map((field) => ({
    key: field.name,
    json: field.field ? shownJson(field, field.field, alias, binds) : complete(sqlText('null')),
  }))

/** The stored rows that a row includes, as members of a JSON object. Of the row, only its id and its references have to be known. */
export const projectIncluded = (tree: readonly Included[], alias: string, binds: Binds): string =>
  objectSql(
    tree.map((included) => ({
      key: included.relation.name,
      json: complete(includedSql(included, alias, binds)),
    })),
    binds.dialect,
  )

const includedSql = (included: Included, alias: string, binds: Binds): string =>
  included.relation.relation.kind === 'has-many'
    ? manySql(included, alias, binds)
    : oneSql(included, alias, binds)

/** Where a row has the id of a row that it includes, and that code answers for. `read/finish.ts` takes it out. */
export const referenceKey = (name: string): string => `@${name}`

const referenceTo = ({ relation }: Included, alias: string, binds: Binds): readonly Part[] => {
  if (relation.relation.kind !== 'belongs-to') return []
  const { source, field } = relation.relation
  const stored = source.field.get(field)
  if (!stored) return []
  const { kind, nullable, schema } = stored
  const json = binds.dialect.jsonMember(column(stored, alias, binds.dialect), kind, nullable, schema)
  return [{ key: referenceKey(relation.name), json }]
}

/** Every stored field of a row, in the store's names: what updates and hooks read. */
export const projectStored = (resource: Resource, alias: string, binds: Binds): string =>
  objectSql(
    resource.fields.map((field) => ({
      key: field.name,
      json: binds.dialect.jsonMember(
        declaredSql(field, column(field, alias, binds.dialect)),
        field.kind,
        field.nullable,
        field.schema,
      ),
    })),
    binds.dialect,
  )

interface Part {
  readonly key: string
  readonly json: JsonMember
}

const complete = (sql: string): JsonMember => ({ sql, isQuoted: false })

/** The quotes around a value join the literals beside it: fewer pieces per row. */
const objectSql = (parts: readonly Part[], dialect: Dialect): string => {
  const pieces: string[] = []
  let literal = '{'
  parts.forEach(({ key, json }, index) => {
    literal += `${index === 0 ? '' : ','}${JSON.stringify(key)}:${json.isQuoted ? '"' : ''}`
    pieces.push(sqlText(literal), json.sql)
    literal = json.isQuoted ? '"' : ''
  })
  return dialect.concat([...pieces, sqlText(`${literal}}`)])
}

function shownJson(field: ViewField, stored: Field, alias: string, binds: Binds): JsonMember {
  const { dialect } = binds
  const { sql: source, nullable } = columnIn(field, stored, alias, binds)
  if (field.codec) {
    const encoded = dialect.encode(source, field.codec)
    return complete(
      nullable ? `(CASE WHEN ${source} IS NULL THEN 'null' ELSE ${encoded} END)` : `(${encoded})`,
    )
  }
  if (!field.values && !stored.stored) return dialect.jsonMember(source, stored.kind, nullable, stored.schema)
  const kept = [...(stored.stored?.down.keys() ?? []), ...(stored.schema.enum ?? [])]
  const values = { enum: [...kept, ...(field.values?.down.values() ?? [])] }
  const shown = replaced(source, shownFor(field, stored))
  return dialect.jsonMember(shown, stored.kind, nullable, values)
}

/** The expression that a sort compares: the shown value, so that an older version sorts by its own words. */
export function sortSql(field: ViewField, stored: Field, alias: string, binds: Binds): string {
  const { sql: source } = columnIn(field, stored, alias, binds)
  if (field.codec) return binds.dialect.ordered(source, field.codec)
  return replaced(source, shownFor(field, stored))
}

function oneSql(included: Included, outer: string, binds: Binds): string {
  const { relation } = included.relation
  if (relation.kind !== 'belongs-to') throw new Error(`${relation.name} is not a belongs-to`)
  const view = included.relation.target()
  const alias = binds.alias()
  const row = projectRow(view, included.children, alias, binds)
  const where = `${binds.rows(view.resource, alias)}${alias}"id" = ${outer}${ident(referenceColumn(relation))}`
  return `coalesce((SELECT ${row} FROM ${ident(view.resource.table)} ${alias.slice(0, -1)} WHERE ${where}), 'null')`
}

function manySql(included: Included, outer: string, binds: Binds): string {
  const { relation, cap } = included.relation
  if (relation.kind !== 'has-many') throw new Error(`${relation.name} is not a has-many`)
  const view = included.relation.target()
  const alias = binds.alias()
  const rows = `${alias.slice(0, -1)}r`
  const row = projectRow(view, included.children, alias, binds)
  const owned = belowOwner(relation, alias, `${outer}"id"`, binds)
  const from = `FROM ${owned.from} WHERE ${binds.rows(view.resource, alias)}${owned.where}`
  const { guarded } = binds
  const source = `SELECT ${row} AS j ${from} ORDER BY ${alias}"id" LIMIT ${guarded ? cap : cap + 1}`
  const whole = `],"page":{"limit":${cap},"has_more":false,"next_cursor":null,"next":null}}`
  const found = guarded ? `(SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${cap + 1}) n)` : 'count(*)'
  const cut = guarded ? `,null${cutListEnd}` : cutListEnd
  const end = `CASE WHEN ${found} > ${cap} THEN ${sqlText(cut)} ELSE ${sqlText(whole)} END`
  return `(SELECT '{"data":[' || coalesce(${binds.dialect.join(`${rows}.j`, ',')}, '') || ${end} FROM (${source}) ${rows})`
}
