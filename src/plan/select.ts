import type { Grants } from '../call/grants.ts'
import { type Included, type IncludedNames, treeOf } from '../call/included.ts'
import type { SortKey } from '../call/query.ts'
import type { View } from '../compile/model.ts'
import { operators } from '../kinds/operators.ts'
import { columnIn } from './absent-values.ts'
import { belowOwner } from './below-owner.ts'
import { bindSlots } from './bind-slots.ts'
import { type ByteGuard, byteGuard, guardedColumns, needsGuard } from './byte-guard.ts'
import { type ComparedValues, comparesTexts, filterValueKind, sortValues, stored } from './compared-values.ts'
import { type Dialect, ident } from './dialect.ts'
import {
  type Collected,
  type ListCondition,
  type ListGiven,
  type ListParts,
  type ListSearch,
  listParts,
  type Owner,
  ownerAbove,
  type ReadGiven,
  viewOf,
} from './list-parts.ts'
import { onPath } from './on-path.ts'
import { projectRow, rowSeparator, sortSql } from './project.ts'
import type { QueryShape } from './query-shape.ts'
import { isWaiting, searchIndexOf } from './search-index.ts'
import { matching, type Sought, searchedList } from './searched-list.ts'
import { Binds, type ShownRows, type Statement } from './statement.ts'
import { comparableSql } from './stored-values.ts'
import { ValueParts } from './value-parts.ts'

/** One row by id, and by its owner's id on a nested path: `[json, version]`, then its bytes where the statement measures them. */
export function selectOne(
  of: Collected,
  names: IncludedNames,
  grants: Grants,
  dialect: Dialect,
): Statement<ReadGiven> {
  const [view, owner] = [viewOf(of), ownerAbove(of)]
  const tree = treeOf(view, names)
  const binds = new Binds(dialect, grants, needsGuard(view, tree, 1))
  const alias = binds.alias()
  const row = projectRow(view, tree, alias, binds)
  const place = placeOf(view, owner, alias, binds)
  const where = [binds.row(view.resource, alias), ...place.where]
  if (owner?.resource.rules.read && !owner.resource.answered)
    where.push(`EXISTS (${selectOwner(owner, binds)})`)
  const from = `FROM ${place.from} WHERE ${where.join(' AND ')}`
  const rows = `SELECT ${guardedColumns(tree, alias)} ${from}`
  const guard = binds.guarded ? byteGuard(view, tree, { rows, shown: 'SELECT * FROM page' }, binds) : null
  const text = guard
    ? `${withTables(guard.tables)}SELECT CASE WHEN ${guard.fits} THEN ${row} END, ${alias}"version", ${guard.bytes} ${from}`
    : `SELECT ${row}, ${alias}"version" ${from}`
  return readStatement(text, binds, new ValueParts<ReadGiven>(), { view, tree, grants }, guard)
}

/** Where the rows of a view are: in its table, and below the owner where there is one. */
function placeOf(view: View, owner: Owner | null, alias: string, binds: Binds) {
  if (!owner) return { from: `${ident(view.resource.table)} ${alias.slice(0, -1)}`, where: [] }
  const { from, where } = belowOwner(owner.relation, alias, binds.use('owner', 'id'), binds)
  return { from, where: [where] }
}

/** An owner that code answers for was asked for before. */
const selectOwner = ({ resource }: Owner, binds: Binds): string =>
  resource.answered
    ? 'SELECT 1'
    : `SELECT 1 FROM ${ident(resource.table)} o WHERE ${binds.rows(resource, 'o.')}o."id" = ${binds.use('owner', 'id')}`

/** Where only the id decides the order, the id of the last row is the whole position. */
export const sortsById = (sort: readonly SortKey[]): boolean => sort.length === 1

/**
 * One page and the row after it: `[rows joined]`, then their positions joined where the id is not position enough, then 1 when the owner
 * exists, where there is one. A guarded statement gives the page alone, and before the owner how many bytes its texts have and how many rows
 * there are with the row after it. Where rows are searched, 1 stands before the owner while rows of the account are not in the index;
 * where they are counted, their number stands between both.
 */
export function selectList(
  of: Collected,
  shape: QueryShape,
  after: readonly boolean[] | null,
  grants: Grants,
  dialect: Dialect,
): Statement<ListGiven> {
  const values = new ValueParts<ListGiven>()
  const parts = listParts(of, shape, after, values)
  const { view, owner, tree, sort } = parts
  const binds = new Binds(dialect, grants, parts.guarded)
  const alias = binds.alias()
  const row = projectRow(view, tree, alias, binds)
  const keys = sort.map((key) => storedKey(key, alias, binds))
  const position = sortsById(sort) ? '' : `, ${positionSql(keys, dialect)} AS k`
  const rows = listedRows(parts, alias, binds)
  const limit = binds.use('limit', 'integer')
  const found = rows.sought ? searchedRows(parts, rows.sought, alias, limit, binds) : rows
  const from = `FROM ${found.from} WHERE ${found.where.join(' AND ')} ORDER BY ${orderSql(keys, dialect)}`
  const guard = parts.guarded
    ? pageGuard(parts, `SELECT ${guardedColumns(tree, alias)} ${from}`, limit, binds)
    : null
  const most = guard ? `(CASE WHEN ${guard.fits} THEN ${limit} - 1 ELSE 0 END)` : limit
  const page = dialect.firstRows(`SELECT ${row} AS j${position} ${from}`, most, parts.pageSize)
  const columns = [dialect.join('p.j', rowSeparator)]
  if (position !== '') columns.push(dialect.join('p.k', '\n'))
  if (guard) columns.push(guard.bytes, guard.found)
  if (rows.sought) columns.push(waitingSql(view, binds))
  if (parts.counted) columns.push(countSql(parts, binds))
  if (owner) columns.push(`(${selectOwner(owner, binds)})`)
  const text = `${withTables([...found.tables, ...(guard?.tables ?? [])])}SELECT ${columns.join(', ')} FROM (${page}) p`
  return readStatement(text, binds, values, { view, tree, grants }, guard)
}

/** The rows of a list from its position on, whatever it is searched for. `byWords`: they are found by an index of words. */
function listedRows(parts: ListParts, alias: string, binds: Binds, byWords = false) {
  const { from, where } = foundRows(parts, alias, binds, byWords)
  const sought = parts.search && soughtBy(parts.view, parts.search, binds)
  const keys = parts.sort.map((key) => storedKey(key, alias, binds))
  if (parts.after) where.push(afterSql(keys, parts.after, binds))
  const isById = !parts.owner && sortsById(parts.sort) && !keys[0]?.descending
  const [id = null] = parts.after ?? []
  const byId = isById ? { after: id === null ? null : binds.use(id, 'string') } : null
  return { alias, from, where, keys: keys.map(({ sql }) => sql), byId, tables: [], sought }
}

/** The same where the list is searched. All its parts bind the same values. */
function searchedRows(parts: ListParts, sought: Sought, alias: string, limit: string, binds: Binds) {
  const { view, sort, pageSize } = parts
  const { dialect } = binds
  const keys = sort.map((key) => storedKey(key, alias, binds))
  const { tables, ids } = searchedList(
    sought,
    (byWords) => listedRows(parts, binds.alias(), binds, byWords),
    (names) =>
      orderSql(
        keys.map((key, at) => ({ ...key, sql: names[at] ?? key.sql })),
        dialect,
      ),
    { limit, most: pageSize, isById: sortsById(sort) },
    dialect,
  )
  const table = `${ident(view.resource.table)} ${alias.slice(0, -1)}`
  const { from, where } = dialect.byIds(table, alias, ids, binds.account(view.resource.shared, alias))
  return { from, where: [where], tables }
}

/** What is searched for. */
function soughtBy(view: View, search: ListSearch, binds: Binds): Sought {
  return {
    index: searchIndexOf(view),
    words: search.map((word) => binds.use(word, 'string')),
    account: view.resource.shared ? null : binds.use('account', 'id'),
  }
}

/** The values of the sort keys of a row, as JSON. */
export const positionSql = (keys: readonly PositionKey[], dialect: Dialect): string => {
  const values = keys.map((key) => dialect.json(key.sql, key.kind, key.nullable, key.schema))
  return values.length === 0 ? `'[]'` : `'[' || ${values.join(" || ',' || ")} || ']'`
}

export const orderSql = (keys: readonly PositionKey[], dialect: Dialect): string =>
  keys
    .map(
      (key) =>
        `${key.sql} ${key.descending ? 'DESC' : 'ASC'}${key.nullable ? dialect.nulls(key.descending) : ''}`,
    )
    .join(', ')

/** The rows that a list has on all its pages together. */
export function foundRows(
  { view, owner, filters, either }: ListParts,
  alias: string,
  binds: Binds,
  byWords = false,
) {
  const place = placeOf(view, owner, alias, binds)
  const where = [`${binds.rows(view.resource, alias, byWords)}1 = 1`, ...place.where]
  const sqlOf = (conditions: readonly ListCondition[]) =>
    conditions.map((condition) => conditionSql(condition, alias, binds))
  where.push(...sqlOf(filters))
  if (either.length > 0)
    where.push(`(${either.map((conditions) => `(${sqlOf(conditions).join(' AND ')})`).join(' OR ')})`)
  return { from: place.from, where }
}

/** Whether a row of the account has no words yet, or not those that it has now. */
function waitingSql(view: View, binds: Binds): string {
  const { dialect } = binds
  const { table, shared } = view.resource
  const search = searchIndexOf(view)
  const alias = binds.alias()
  return `(SELECT 1 FROM ${ident(table)} ${alias.slice(0, -1)}${dialect.byPartialIndex(search.waiting)} WHERE ${binds.account(shared, alias)}${isWaiting(search, alias, dialect).inQuery} LIMIT 1)`
}

/** How many rows the filters find, up to one more than the limit. The filters bind the same values again. */
function countSql(parts: ListParts, binds: Binds): string {
  const rows = listedRows({ ...parts, after: null }, binds.alias(), binds, parts.search !== null)
  const { from, where, sought } = rows
  const found = sought
    ? matching(rows, sought, '1', binds.dialect)
    : `SELECT 1 FROM ${from} WHERE ${where.join(' AND ')}`
  const most = parts.view.limits.countRows + 1
  return `(SELECT count(*) FROM (SELECT * FROM (${found}) f LIMIT ${most}) n)`
}

/** The row after the page is not measured, and not read either: it only says that there are more. */
function pageGuard(
  { view, tree, pageSize }: ListParts,
  select: string,
  limit: string,
  binds: Binds,
): ByteGuard | null {
  const rows = binds.dialect.firstRows(select, limit, pageSize)
  return byteGuard(view, tree, { rows, shown: `SELECT * FROM page LIMIT (${limit} - 1)` }, binds)
}

export function readStatement<Given extends ReadGiven & Partial<ListGiven>>(
  text: string,
  { slots }: Binds,
  values: ValueParts<Given>,
  rows: ShownRows,
  guard: ByteGuard | null,
): Statement<Given> {
  const { view, tree } = rows
  const hasCustoms = view.customs.length > 0 || includes(tree, ({ target }) => target().customs.length > 0)
  const hasLists = includes(tree, ({ relation }) => relation.kind === 'has-many')
  const hasAnswers = includes(tree, ({ relation }) => relation.target.answered !== null)
  return Object.freeze({
    text,
    slots,
    bind: (given: Given) => {
      const { caller, target } = given.call
      return bindSlots(slots, {
        account: caller.account,
        asked: { by: caller, at: given.at },
        id: target.id,
        owner: target.ownerId,
        // One row more than the page holds says that there are more.
        limit: given.list ? given.list.limit + 1 : 1,
        values: values.of(given),
      })
    },
    rows,
    hasCustoms,
    hasLists,
    hasAnswers,
    measured: guard?.places ?? null,
  })
}

const withTables = (tables: readonly string[]): string =>
  tables.length === 0 ? '' : `WITH ${tables.join(', ')} `

const includes = (tree: readonly Included[], isSuch: (relation: Included['relation']) => boolean): boolean =>
  tree.some((one) => isSuch(one.relation) || includes(one.children, isSuch))

export interface PositionKey extends ComparedValues {
  readonly sql: string
  readonly nullable: boolean
  readonly descending: boolean
}

export const storedKey = ({ field, descending }: SortKey, alias: string, binds: Binds): PositionKey => {
  const { nullable } = columnIn(field, stored(field), alias, binds)
  return { sql: sortSql(field, stored(field), alias, binds), ...sortValues(field), nullable, descending }
}

/** A column in the form that a filter's values have. */
function comparable(filter: ListCondition, source: string, dialect: Dialect): string {
  const { codec } = filter.field
  if (!codec) return comparableSql(stored(filter.field), source)
  return comparesTexts(filter) ? dialect.ordered(source, codec) : dialect.coarse(source, codec)
}

function conditionSql(filter: ListCondition, alias: string, binds: Binds): string {
  const { kind } = filterValueKind(filter)
  const operator = operators[filter.operator]
  const { withNull } = filter
  const bound = filter.slots.map((slot) => binds.use(slot, kind))
  const condition = (at: string): string =>
    operator.sql(
      comparable(filter, columnIn(filter.field, stored(filter.field), at, binds).sql, binds.dialect),
      bound,
      withNull,
    )
  // Where a reference on the way is unset, so is the value at its end.
  const unset = operator.excludes !== withNull
  const few = !unset && !operator.excludes && !operator.compares
  return onPath(filter.steps, { unset, few }, condition, alias, binds)
}

/**
 * Rows after a position. Where every key has a value and all go one way, a row comparison, which an index answers;
 * otherwise the same spelled out, with NULLs first ascending and last descending.
 */
export function afterSql(
  keys: readonly PositionKey[],
  after: readonly (number | null)[],
  binds: Binds,
): string {
  const bound = keys.map(({ kind }, index) => {
    const slot = after[index] ?? null
    return slot === null ? null : binds.use(slot, kind)
  })
  const oneWay = keys.every((key) => key.descending === keys[0]?.descending)
  if (oneWay && keys.every((key, index) => !key.nullable && bound[index] !== null)) {
    const left = keys.map((key) => key.sql).join(', ')
    const sign = keys[0]?.descending ? '<' : '>'
    return keys.length === 1 ? `${left} ${sign} ${bound[0]}` : `(${left}) ${sign} (${bound.join(', ')})`
  }
  const alternatives = keys.map((key, index) => {
    const ties = keys
      .slice(0, index)
      .map((tied, at) => (bound[at] === null ? `${tied.sql} IS NULL` : `${tied.sql} = ${bound[at]}`))
    return [...ties, beyond(key, bound[index] ?? null)].join(' AND ')
  })
  return `(${alternatives.map((one) => `(${one})`).join(' OR ')})`
}

function beyond(key: PositionKey, value: string | null): string {
  if (value === null) return key.descending ? '1 = 0' : `${key.sql} IS NOT NULL`
  if (!key.descending) return `${key.sql} > ${value}`
  return key.nullable ? `(${key.sql} < ${value} OR ${key.sql} IS NULL)` : `${key.sql} < ${value}`
}
