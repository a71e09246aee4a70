import { hash } from 'node:crypto'
import { type Maybe, whenThere } from '../maybe.ts'
import { bound } from '../plan/bind.ts'
import { separators, versionMark } from '../plan/project.ts'
import { filterValueKind, filterValues, sortsById, sortValues } from '../plan/select.ts'
import type { Statement } from '../plan/statement.ts'
import { problem } from '../problems.ts'
import { cursorBound, type Position } from '../request/cursor.ts'
import { answersOf, type Grants } from '../request/grants.ts'
import { type Include, noInclude } from '../request/include.ts'
import { positionIn } from '../request/position.ts'
import type { ListQuery, OneQuery, PageQuery } from '../request/query.ts'
import type { Target } from '../request/route.ts'
import type { Value } from '../store/store.ts'
import { bindSlots, type Call, type Outcome, type Reader } from './call.ts'
import { etagOf } from './etag.ts'
import { finishText, rowId } from './finish.ts'

/** In a sub-collection the only id in the path is the owner's. */
export const notThere = ({ id, sub, view }: Target): Error =>
  problem('not-found', {
    detail: `There is nothing with this id in ${(id === null && sub ? sub.owner() : view).name}, or it is not yours.`,
  })

/** One resource with its includes: one statement. */
export function readOne(reader: Reader, { caller, target }: Call, query: OneQuery): Maybe<Outcome> {
  const { include, canonical } = query
  const { account, scopes } = caller
  const statement = reader.planner.one(target, include, scopes)
  const slots = bindSlots(statement.slots, {
    account,
    asked: { by: caller, at: reader.now() },
    id: target.id,
    owner: target.ownerId,
  })
  return whenThere(reader.store.first(statement.text, slots), (row) => {
    if (!row) throw notThere(target)
    const { text, versions } = withoutVersions(String(row[0]), statement)
    const data = finishText(text, statement, reader, caller)
    const included = include === noInclude ? undefined : includeTag(include, scopes, data, versions)
    const etag = etagOf(target.view, row[1], scopes, included)
    return { status: 200, body: `{"data":${data}}`, etag, canonical }
  })
}

/**
 * The part of an entity tag for embedded rows: the versions of single rows, or a hash of the text where lists are embedded. Which
 * fields of single rows are shown depends on the caller's scopes.
 */
const includeTag = (include: Include, grants: Grants, data: string, versions: string | null): string =>
  include.tag +
  (versions === null ? hash('sha1', data, 'base64url') : answersOf(grants, include.asks) + versions)

/** Separates the text from the versions of embedded rows, which the statement put between marks. */
function withoutVersions(
  marked: string,
  { marksVersions }: Statement,
): { readonly text: string; readonly versions: string | null } {
  if (!marksVersions) return { text: marked, versions: null }
  let text = ''
  let versions = ''
  let from = 0
  for (let start = marked.indexOf(versionMark); start >= 0; start = marked.indexOf(versionMark, from)) {
    const end = marked.indexOf(versionMark, start + 1)
    text += marked.slice(from, start)
    versions += `-${marked.slice(start + 1, end)}`
    from = end + 1
  }
  return { text: text + marked.slice(from), versions }
}

/** One page of a collection: one statement, whatever is filtered, sorted and included. */
export function readList(reader: Reader, { caller, target }: Call, query: PageQuery): Maybe<Outcome> {
  const { list } = query
  const { sort, limit } = list
  const boundTo = query.cursor === null ? null : cursorBound(caller, target, list.order)
  const after =
    boundTo === null ? null : positionIn(reader.seal.open(query.cursor ?? '', boundTo, sort.length), sort)
  const statement = reader.planner.list(target, list, after, caller.scopes)
  const values = listValues(list, after)
  const slots = bindSlots(statement.slots, {
    account: caller.account,
    asked: { by: caller, at: reader.now() },
    owner: target.ownerId,
    limit: limit + 1,
    values,
  })
  return whenThere(reader.store.first(statement.text, slots), (row) => {
    if (!row || (target.sub && row.at(-1) === null)) throw notThere(target)
    const page = cutPage(String(row[0] ?? ''), limit)
    const rows = finishText(page.text, statement, reader, caller)
    const position = page.hasMore ? positionOf(page, row[1] ?? null, limit, list) : null
    const cursor = position && reader.seal.seal(position, boundTo ?? cursorBound(caller, target, list.order))
    const tail = `"page":{"limit":${limit},"has_more":${page.hasMore},"next_cursor":${cursor ? `"${cursor}"` : 'null'}}`
    const next = cursor && list.next + cursor
    const body = `{"data":[${rows}],${tail}}`
    // Everything but the rows is ASCII.
    const bytes = Buffer.byteLength(rows) + body.length - rows.length
    return { status: 200, body, bytes, next, canonical: canonicalOf(query) }
  })
}

const canonicalOf = ({ list: { canonical }, cursor }: PageQuery): string | null =>
  canonical !== null && cursor !== null ? `${canonical}&cursor=${cursor}` : canonical

function listValues(query: ListQuery, after: Position | null): Value[] {
  const values: Value[] = []
  for (const filter of query.filters) {
    const of = filterValueKind(filter)
    for (const value of filterValues(filter)) values.push(bound(of, value))
  }
  query.sort.forEach(({ field }, index) => {
    const value = after?.[index] ?? null
    if (value !== null) values.push(bound(sortValues(field), value))
  })
  return values
}

interface Page {
  readonly text: string
  readonly hasMore: boolean
  /** Where its last row begins, when there is more. */
  readonly lastRow: number
}

/**
 * The statement reads one row more than the page holds, which says that there are more. Rows are counted here by their separators:
 * that is faster than a count in the statement.
 */
function cutPage(text: string, limit: number): Page {
  let lastRow = 0
  let boundary = -1
  for (let rows = 0; rows < limit; rows++) {
    lastRow = boundary + 1
    boundary = text.indexOf(rowEnd, lastRow)
    if (boundary < 0) return { text, hasMore: false, lastRow }
  }
  return { text: text.slice(0, boundary + 1 - separators[0].length), hasMore: true, lastRow }
}

const rowEnd = separators[0].slice(-1)

/** The sort keys of a page's last row, as JSON. */
const positionOf = ({ text, lastRow }: Page, positions: Value, limit: number, { sort }: ListQuery): string =>
  sortsById(sort) ? `["${rowId(text, lastRow)}"]` : (String(positions).split('\n')[limit - 1] ?? '[]')

/** The versioned path of a target. */
export function pathOf(target: Target): string {
  const { version, view, sub, ownerId, id } = target
  const collection = sub ? `${sub.owner().name}/${ownerId}/${sub.segment}` : view.name
  return `/${version.name}/${collection}${id === null ? '' : `/${id}`}`
}
