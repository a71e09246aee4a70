import type { View } from '../compile/model.ts'
import { cutListEnd } from '../plan/project.ts'
import type { Statement } from '../plan/statement.ts'
import type { Caller } from '../request/caller.ts'
import { cursorBound, orderText } from '../request/cursor.ts'
import { madeFields } from '../request/customs.ts'
import type { Grants } from '../request/grants.ts'
import type { Included } from '../request/include.ts'
import { shownTo } from '../request/shown-fields.ts'
import { withTieBreak } from '../request/sort.ts'
import type { Reader } from './call.ts'

/**
 * Rows as the store wrote them → rows as the consumer gets them, joined by commas. Rows are parsed only if custom changes
 * have to run on them, or if an embedded list has more rows than its cap.
 */
export function finishRows(
  texts: readonly string[],
  { rows: { view, tree, grants }, hasCustoms, hasLists }: Statement,
  reader: Reader,
  caller: Caller,
): string {
  const joined = texts.join(',')
  // The text may stand in a JSON field as well; whether a list was cut is decided by the list itself.
  if (!hasCustoms && !(hasLists && joined.includes(cutListEnd))) return joined
  const rows = JSON.parse(`[${joined}]`) as Row[]
  const finish = new Finish(reader, caller, grants)
  return rows.map((row) => JSON.stringify(finish.row(row, view, tree))).join(',')
}

type Row = { [key: string]: unknown }
type List = { readonly data: readonly Row[]; readonly page: object | null }

class Finish {
  readonly #reader: Reader
  readonly #caller: Caller
  readonly #grants: Grants

  constructor(reader: Reader, caller: Caller, grants: Grants) {
    this.#reader = reader
    this.#caller = caller
    this.#grants = grants
  }

  row(row: Row, view: View, tree: readonly Included[]): Row {
    const shown = view.customs.length === 0 ? row : withMadeFields(row, view, this.#grants)
    for (const included of tree) {
      const { name } = included.relation
      shown[name] = this.#related(row[name], included, String(row.id))
    }
    return shown
  }

  #related(value: unknown, included: Included, ownerId: string): unknown {
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
