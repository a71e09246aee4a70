import { hash } from 'node:crypto'
import type { Call, Outcome } from '../call/call.ts'
import { etagOf } from '../call/etag.ts'
import { noInclude } from '../call/included.ts'
import type { ListQuery, OneQuery, PageQuery } from '../call/query.ts'
import { notThere, type Target } from '../call/target.ts'
import { type Maybe, whenThere } from '../maybe.ts'
import { rowSeparator } from '../plan/project.ts'
import { sortsById } from '../plan/select.ts'
import { problem } from '../problems.ts'
import { cursorBound } from '../request/cursor.ts'
import { positionIn } from '../request/position.ts'
import type { Value } from '../store/store.ts'
import { AnswerSize } from './answer-size.ts'
import { finishRows } from './finish.ts'
import type { Reader } from './reader.ts'

/** One resource with its includes: one statement. */
export function readOne(reader: Reader, call: Call, query: OneQuery): Maybe<Outcome> {
  const { caller, target } = call
  const { include, canonical } = query
  const { scopes } = caller
  const statement = reader.planner.one(target, include, scopes)
  const bound = statement.bind({ call, at: reader.now() })
  return whenThere(reader.store.first(statement.text, bound, caller.account), (row) => {
    if (!row) throw notThere(target)
    const size = new AnswerSize(statement, row[2] ?? null, null)
    return whenThere(finishRows([String(row[0])], statement, reader, call), (data) => {
      const body = `{"data":${data}}`
      const bytes = Buffer.byteLength(body)
      size.check(bytes)
      const included = include === noInclude ? undefined : include.tag + hash('sha1', data, 'base64url')
      const etag = etagOf(target.view, row[1], scopes, included)
      return { status: 200, body, bytes, etag, canonical }
    })
  })
}

/** One page of a collection: one statement, whatever is filtered, sorted and included. */
export function readList(reader: Reader, call: Call, query: PageQuery): Maybe<Outcome> {
  const { caller, target } = call
  const { list } = query
  const { sort, limit } = list
  const boundTo = query.cursor === null ? null : cursorBound(caller, target, list.order, list.filteredBy)
  const after =
    boundTo === null ? null : positionIn(reader.seal.open(query.cursor ?? '', boundTo, sort.length), sort)
  const statement = reader.planner.list(target, list, after, caller.scopes)
  const bound = statement.bind({ call, at: reader.now(), list, after })
  return whenThere(reader.store.first(statement.text, bound, caller.account), (row) => {
    if (!row || (target.sub && row.at(-1) === null)) throw notThere(target)
    if (list.search && row.at(-1 - (target.sub ? 1 : 0) - (list.count ? 1 : 0)) !== null)
      throw searchNotReady(reader, { caller, target })
    // The statement reads one row more than the page holds, which says that there are more.
    const measuredAt = sortsById(sort) ? 1 : 2
    const size = new AnswerSize(statement, row[measuredAt] ?? null, limit)
    const found = row[0] === null ? [] : String(row[0]).split(rowSeparator)
    const hasMore = (statement.measured ? Number(row[measuredAt + 1]) : found.length) > limit
    const texts = hasMore ? found.slice(0, limit) : found
    return whenThere(finishRows(texts, statement, reader, call), (rows) => {
      const position = hasMore ? placeOf(texts, row[1] ?? null, list) : null
      const cursor =
        position &&
        reader.seal.seal(position, boundTo ?? cursorBound(caller, target, list.order, list.filteredBy))
      const total = list.count ? totalText(row.at(target.sub ? -2 : -1), target) : ''
      const tail = pageText(limit, hasMore, cursor, total)
      const next = cursor && list.next + cursor
      const body = `{"data":[${rows}],${tail}}`
      // Everything but the rows is ASCII.
      const bytes = Buffer.byteLength(rows) + body.length - rows.length
      size.check(bytes)
      return { status: 200, body, bytes, next, canonical: canonicalOf(query) }
    })
  })
}

/** Rows are counted up to one more than the limit. */
function totalText(counted: Value | undefined, { view: { limits } }: Target): string {
  const found = Number(counted)
  const isExact = found <= limits.countRows
  return `,"total":${isExact ? found : limits.countRows},"total_is_exact":${isExact}`
}

/** The member `page` of a list. */
export const pageText = (limit: number, hasMore: boolean, cursor: string | null, more = ''): string =>
  `"page":{"limit":${limit},"has_more":${hasMore},"next_cursor":${cursor ? `"${cursor}"` : 'null'}${more}}`

export const canonicalOf = ({ list: { canonical }, cursor }: PageQuery): string | null =>
  canonical !== null && cursor !== null ? `${canonical}&cursor=${cursor}` : canonical

/** Rows of the account wait for their words, which they get now. */
function searchNotReady(reader: Reader, { caller, target }: Call): Error {
  const { name, resource } = target.view
  reader.indexRows(resource, caller.account)
  return problem('search-not-ready', {
    detail: `Some rows of ${name} are not in the index of the search yet. They are added now.`,
    headers: { 'Retry-After': '1' },
  })
}

/** The sort keys of a page's last row, as JSON. */
const placeOf = (rows: readonly string[], positions: Value, { sort }: ListQuery): string =>
  sortsById(sort) ? `["${rowId(rows.at(-1) ?? '')}"]` : positionOf(rows, positions)

/** The same where the statement gives the keys of each row. */
export const positionOf = (rows: readonly string[], positions: Value): string =>
  String(positions).split('\n')[rows.length - 1] ?? '[]'

/** Statements write the id of a row first; a row that begins otherwise is an error. */
function rowId(row: string): string {
  const id = /^\{"id":"([^"]+)"/.exec(row)?.[1]
  if (id === undefined) throw new Error('a row does not begin with its id')
  return id
}
