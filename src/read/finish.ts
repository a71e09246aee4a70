import type { Call } from '../call/call.ts'
import type { Caller } from '../call/caller.ts'
import type { Grants } from '../call/grants.ts'
import { type Included, isAnswered } from '../call/included.ts'
import { madeFields } from '../call/made-fields.ts'
import { shownTo } from '../call/shown-fields.ts'
import type { View } from '../compile/model.ts'
import { type Maybe, whenThere } from '../maybe.ts'
import { cutListEnd, referenceKey } from '../plan/project.ts'
import type { Statement } from '../plan/statement.ts'
import { cursorBound, orderText } from '../request/cursor.ts'
import { withTieBreak } from '../request/sort.ts'
import type { LackingIncluded, Reader } from './reader.ts'

/**
 * Rows as the store wrote them → rows as the consumer gets them, joined by commas. Rows are parsed only if custom changes
 * have to run on them, or if an embedded list has more rows than its cap.
 */
export function finishRows(
  texts: readonly string[],
  { rows: { view, tree, grants }, hasCustoms, hasLists, hasAnswers }: Statement,
  reader: Reader,
  call: Call,
): Maybe<string> {
  const joined = texts.join(',')
  // The text may stand in a JSON field as well; whether a list was cut is decided by the list itself.
  if (!hasCustoms && !hasAnswers && !(hasLists && joined.includes(cutListEnd))) return joined
  const rows = JSON.parse(`[${joined}]`) as Row[]
  const finish = new Finish(reader, call.caller, grants)
  const shown = rows.map((row) => finish.row(row, view, tree))
  const written = () => shown.map((row) => JSON.stringify(row)).join(',')
  return finish.lacking.length === 0
    ? written()
    : whenThere(reader.answers.fill(call, finish.lacking), written)
}

type Row = { [key: string]: unknown }
type List = { readonly data: readonly Row[]; readonly page: object | null }

/** Makes rows from what a statement gave. Rows that code answers for are left out, and listed. */
export class Finish {
  readonly lacking: LackingIncluded[] = []
  readonly #reader: Pick<Reader, 'seal'>
  readonly #caller: Caller
  readonly #grants: Grants

  constructor(reader: Pick<Reader, 'seal'>, caller: Caller, grants: Grants) {
    this.#reader = reader
    this.#caller = caller
    this.#grants = grants
  }

  row(row: Row, view: View, tree: readonly Included[]): Row {
    const shown = view.customs.length === 0 ? row : withMadeFields(row, view, this.#grants)
    for (const included of tree) {
      const { name } = included.relation
      const value = row[name]
      // Set anew, so that all included rows stand in the order of the tree.
      delete shown[name]
      if (isAnswered(included)) {
        shown[name] = null
        const key = referenceKey(name)
        const isOne = included.relation.relation.kind === 'belongs-to'
        this.lacking.push({ included, row: shown, id: isOne ? (row[key] as string | null) : String(row.id) })
        delete shown[key]
      } else shown[name] = this.related(value, included, String(row.id))
    }
    return shown
  }

  related(value: unknown, included: Included, ownerId: string): unknown {
    const { relation, children } = included
    if (value === null) return null
    if (relation.relation.kind === 'belongs-to') return this.row(value as Row, relation.target(), children)
    const { data, page } = value as List
    // The row past the cap only says that there are more.
    const kept = page === null ? data.slice(0, -1) : data
    const rows = kept.map((row) => this.row(row, relation.target(), children))
    return { data: rows, page: page ?? this.#continuation(included, ownerId, String(kept.at(-1)?.id)) }
  }

  /** The page of a list that was cut, with the URL of the next one. */
  #continuation({ relation }: Included, ownerId: string, lastId: string): object {
    const view = relation.target()
    const { version } = view
    const sub = view.under.find((one) => one.relation.relation === relation.relation)
    if (!sub) throw new Error(`${relation.name} has no collection of its own`)
    const order = orderText(withTieBreak([], view), [])
    const bound = cursorBound(this.#caller, { version, view, sub, ownerId }, order)
    const cursor = this.#reader.seal.seal(`["${lastId}"]`, bound)
    const next = `${version.prefix}/${version.name}/${sub.owner().name}/${ownerId}/${sub.segment}?limit=${relation.cap}&cursor=${cursor}`
    return { limit: relation.cap, has_more: true, next_cursor: cursor, next }
  }
}

/** The row with what its custom changes make, and without what they were made from. */
function withMadeFields(row: Row, view: View, grants: Grants): Row {
  const steps = view.customs.map((_, index) => row[`@${index}`] as Row)
  const made = madeFields(view, (field) => {
    const step = view.customs.findIndex((one) => one.newer.includes(field))
    return steps[step]?.[field.name]
  })
  const shown: Row = {}
  for (const field of shownTo(view, grants).fields)
    shown[field.name] = field.made ? made[field.name] : row[field.name]
  return shown
}
