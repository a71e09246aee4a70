import { hash } from 'node:crypto'
import { bound } from '../plan/bind.ts'
import { separators } from '../plan/project.ts'
import { filterValues, sortsById } from '../plan/select.ts'
import { problem } from '../problems.ts'
import { cursorBound, type Position } from '../request/cursor.ts'
import { type Include, noInclude } from '../request/include.ts'
import type { ListQuery } from '../request/query.ts'
import type { Target } from '../request/route.ts'
import type { Transaction, Value } from '../store/store.ts'
import { finishText, rowId } from './finish.ts'
import { bindSlots, type Call, type Outcome, type Runner } from './run.ts'

/** In a sub-collection the only id in the path is the owner's. */
export const notThere = ({ id, sub, view }: Target): Error =>
  problem('not-found', {
    detail: `There is nothing with this id in ${(id === null && sub ? sub.owner() : view).name}, or it is not yours.`,
  })

/** One resource with its includes: one statement. */
export async function readOne(runner: Runner, { caller, target }: Call, include: Include): Promise<Outcome> {
  const statement = runner.planner.one(target, include)
  const { account } = caller
  const row = await runner.store.first(
    statement.text,
    bindSlots(statement.slots, { account, id: target.id, owner: target.ownerId }),
  )
  if (!row) throw notThere(target)
  const data = finishText(String(row[0]), statement, runner, account)
  return {
    status: 200,
    body: `{"data":${data}}`,
    etag:
      include.canonical === ''
        ? `"${row[1]}"`
        : `"${row[1]}.${hash('sha1', `${include.canonical} ${data}`, 'base64url')}"`,
    include: include.canonical,
  }
}

/** One page of a collection: one statement, whatever is filtered, sorted and included. */
export async function readList(runner: Runner, { caller, target }: Call, query: ListQuery): Promise<Outcome> {
  const { account } = caller
  const { sort, limit } = query
  const boundTo = query.cursor === null ? null : cursorBound(account, target, query.order)
  const after = boundTo === null ? null : runner.seal.open(query.cursor ?? '', boundTo, sort.length)
  const statement = runner.planner.list(target, query, after)
  const values = listValues(query, after)
  const row = await runner.store.first(
    statement.text,
    bindSlots(statement.slots, { account, owner: target.ownerId, limit: limit + 1, values }),
  )
  if (!row || row[3] === null) throw notThere(target)
  const page = cutPage(String(row[0] ?? ''), Number(row[1]), limit)
  const rows = finishText(page.text, statement, runner, account)
  const position = page.hasMore ? positionOf(page.text, row[2] ?? null, limit, query) : null
  const cursor = position && runner.seal.seal(position, boundTo ?? cursorBound(account, target, query.order))
  const tail = `"page":{"limit":${limit},"has_more":${page.hasMore},"next_cursor":${cursor ? `"${cursor}"` : 'null'}}`
  return { status: 200, body: `{"data":[${rows}],${tail}}`, next: cursor, include: query.include.canonical }
}

function listValues(query: ListQuery, after: Position | null): Value[] {
  const values: Value[] = []
  for (const filter of query.filters) {
    const kind = filter.field.field?.kind ?? 'string'
    for (const value of filterValues(filter)) values.push(bound(kind, value))
  }
  after?.forEach((value, index) => {
    if (value !== null) values.push(bound(query.sort[index]?.field.field?.kind ?? 'string', value))
  })
  return values
}

/** The statement reads one row more than the page holds: its presence says that there is more. */
function cutPage(
  text: string,
  count: number,
  limit: number,
): { readonly text: string; readonly hasMore: boolean } {
  if (count <= limit) return { text, hasMore: false }
  return { text: text.slice(0, text.lastIndexOf(separators[0])), hasMore: true }
}

function positionOf(text: string, positions: Value, limit: number, query: ListQuery): Position {
  if (!sortsById(query.sort)) return JSON.parse(String(positions).split('\n')[limit - 1] ?? '[]') as Position
  const start = text.lastIndexOf(separators[0])
  return [rowId(text, start < 0 ? 0 : start + separators[0].length)]
}

/** The versioned path of a target. */
export function pathOf(target: Target): string {
  const { version, view, sub, ownerId, id } = target
  const collection = sub ? `${sub.owner().name}/${ownerId}/${sub.segment}` : view.name
  return `/${version.name}/${collection}${id === null ? '' : `/${id}`}`
}

/** A row as it is within a transaction: after writes whose effect on it is not known to the writer. */
export async function reread(runner: Runner, tx: Transaction, { caller, target }: Call): Promise<Outcome> {
  const statement = runner.planner.one(target, noInclude)
  const { account } = caller
  const row = await tx.first(
    statement.text,
    bindSlots(statement.slots, { account, id: target.id, owner: target.ownerId }),
  )
  if (!row) throw notThere(target)
  const data = finishText(String(row[0]), statement, runner, account)
  return { status: 200, body: `{"data":${data}}`, etag: `"${row[1]}"` }
}
