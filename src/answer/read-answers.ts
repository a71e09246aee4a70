import { hash } from 'node:crypto'
import type { Call, Outcome } from '../call/call.ts'
import type { Included } from '../call/included.ts'
import type { OneQuery, PageQuery } from '../call/query.ts'
import { shownText } from '../call/row-text.ts'
import type { StoredRow } from '../call/stored-row.ts'
import { notThere } from '../call/target.ts'
import type { View } from '../compile/model.ts'
import { answeredIdSchema } from '../compile/resources/declared-fields.ts'
import { isValid } from '../compile/schemas/validate.ts'
import type { Maybe } from '../maybe.ts'
import { problem } from '../problems.ts'
import { canonicalOf, pageText } from '../read/read-rows.ts'
import { cursorBound } from '../request/cursor.ts'
import { mayRead } from '../write/judge.ts'
import { outsideTransaction } from '../write/write-request.ts'
import type { Answering } from './answering.ts'
import { askedFilter, askedSort } from './asked-list.ts'
import { embedInto } from './embed.ts'
import { Questions } from './questions.ts'

/** 404 where the owner in the path is not there, or the caller may not read it. */
export async function demandOwner(answering: Answering, call: Call): Promise<void> {
  const { sub, ownerId } = call.target
  if (!sub || ownerId === null) return
  const { resource } = sub.owner()
  const isThere = resource.answered
    ? isValid(answeredIdSchema, ownerId) &&
      (await new Questions(answering, call).get(resource, ownerId)) !== null
    : await mayRead(outsideTransaction(answering.writer, call), resource, ownerId)
  if (!isThere) throw notThere(call.target)
}

/** GET of one row that code answers for. */
export async function answerOne(answering: Answering, call: Call, query: OneQuery): Promise<Outcome> {
  const { view, id, sub, ownerId } = call.target
  await demandOwner(answering, call)
  if (id === null || !isValid(answeredIdSchema, id)) throw notThere(call.target)
  const row = await new Questions(answering, call).get(view.resource, id)
  if (!row || (sub?.by && row[sub.by.field] !== ownerId)) throw notThere(call.target)
  const body = `{"data":${await rowTexts(answering, call, [row], query.include.tree)}}`
  const bytes = sizeOf(body, view)
  return { status: 200, body, bytes, etag: bodyTag(body), canonical: query.canonical }
}

/** One page of rows that code answers for. */
export async function answerList(answering: Answering, call: Call, query: PageQuery): Promise<Outcome> {
  const { seal } = answering
  const { target, caller } = call
  const { view, sub, ownerId } = target
  const { list } = query
  const bound = cursorBound(caller, target, list.order, list.filteredBy)
  const [after] = query.cursor === null ? [] : seal.open(query.cursor, bound, 1)
  await demandOwner(answering, call)
  const within = sub?.by && ownerId !== null ? { field: sub.by.field, values: [ownerId] } : null
  const { rows, next } = await new Questions(answering, call).list(
    view.resource,
    {
      filter: askedFilter(list.filters, within),
      sort: askedSort(list.sort),
      limit: list.limit,
      after: after === undefined ? undefined : String(after),
    },
    list.limit,
  )
  const stray = within && rows.find((row) => row[within.field] !== ownerId)
  if (stray)
    throw new Error(
      `answers.list of ${view.resource.name} gave a row of another owner than "${within.field}" said`,
    )
  const texts = await rowTexts(answering, call, rows, list.include.tree)
  const cursor = next === null ? null : seal.seal(JSON.stringify([next]), bound)
  const page = pageText(list.limit, next !== null, cursor)
  const body = `{"data":[${texts}],${page}}`
  const bytes = sizeOf(body, view)
  return { status: 200, body, bytes, next: cursor && list.next + cursor, canonical: canonicalOf(query) }
}

/** The JSON of rows as a version shows them, joined by commas, with what is included. */
function rowTexts(
  answering: Answering,
  call: Call,
  rows: readonly StoredRow[],
  tree: readonly Included[],
): Maybe<string> {
  const { target, caller } = call
  const texts = rows.map((row) => shownText(target.view, row, caller.scopes))
  if (tree.length === 0) return texts.join(',')
  const given = rows.map((row, index) => ({ row, shown: JSON.parse(texts[index] ?? '') }))
  return embedInto(answering, call, given, target.view, tree).then(() =>
    given.map(({ shown }) => JSON.stringify(shown)).join(','),
  )
}

/** The bytes of a body, which are bounded as those of stored rows are. */
export function sizeOf(body: string, { limits, name }: View): number {
  const bytes = Buffer.byteLength(body)
  if (bytes <= limits.responseBytes) return bytes
  throw problem('response-too-large', {
    detail: `The answer would have more than ${limits.responseBytes} bytes. Ask for fewer rows of ${name}, or include less.`,
    members: { limit: limits.responseBytes },
  })
}

/** The entity tag of a row that has no version: it is made of what is shown. */
export const bodyTag = (body: string): string => `"${hash('sha1', body, 'base64url')}"`
