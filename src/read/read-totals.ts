import type { Call, Outcome } from '../call/call.ts'
import type { Grants } from '../call/grants.ts'
import type { PageQuery } from '../call/query.ts'
import type { View } from '../compile/model.ts'
import { mostGroups } from '../compile/versions/totals-view.ts'
import { type Maybe, whenThere } from '../maybe.ts'
import { rowSeparator } from '../plan/project.ts'
import { shownSums } from '../plan/select-totals.ts'
import { problem } from '../problems.ts'
import { cursorBound } from '../request/cursor.ts'
import { positionIn } from '../request/position.ts'
import type { Value } from '../store/store.ts'
import { AnswerSize } from './answer-size.ts'
import { canonicalOf, pageText, positionOf } from './read-rows.ts'
import type { Reader } from './reader.ts'

/** One page of groups: one statement, whatever is filtered and sorted. */
export function readTotals(reader: Reader, call: Call, query: PageQuery): Maybe<Outcome> {
  const { caller, target } = call
  const { list } = query
  const { sort, limit } = list
  const bound = cursorBound(caller, target, list.order, list.filteredBy)
  const after =
    query.cursor === null ? null : positionIn(reader.seal.open(query.cursor, bound, sort.length), sort)
  const statement = reader.planner.list(target, list, after, caller.scopes)
  const values = statement.bind({ call, at: reader.now(), list, after })
  return whenThere(reader.store.first(statement.text, values, caller.account), (row) => {
    const [groups = null, positions = null, rows, found, ...beyond] = row ?? []
    refuseTooLarge(target.view, caller.scopes, { rows: Number(rows), groups: Number(found), beyond })
    const all = groups === null ? [] : String(groups).split(rowSeparator)
    const hasMore = all.length > limit
    const texts = hasMore ? all.slice(0, limit) : all
    const position = hasMore ? positionOf(texts, positions) : null
    const cursor = position && reader.seal.seal(position, bound)
    const body = `{"data":[${texts.join(',')}],${pageText(limit, hasMore, cursor)}}`
    const bytes = Buffer.byteLength(body)
    new AnswerSize(statement, null, limit).check(bytes)
    return { status: 200, body, bytes, next: cursor && list.next + cursor, canonical: canonicalOf(query) }
  })
}

interface Counted {
  readonly rows: number
  readonly groups: number
  /** For each shown sum, whether it cannot be told in some group. */
  readonly beyond: readonly Value[]
}

function refuseTooLarge(view: View, grants: Grants, { rows, groups, beyond }: Counted): void {
  const { limits, totals } = view
  const rowsName = totals?.of().name
  if (rows > limits.totalRows)
    throw problem('totals-too-large', {
      detail: `More than ${limits.totalRows} rows of ${rowsName} would be counted. ${narrower(view)}.`,
      members: { limit: limits.totalRows },
    })
  if (groups > mostGroups)
    throw problem('totals-too-large', {
      detail: `There are ${groups} groups, and ${mostGroups} is the limit. Group by fewer fields, or by ones with fewer values. ${narrower(view)}.`,
      members: { limit: mostGroups },
    })
  const sum = shownSums(view, grants).find((_, index) => Number(beyond[index] ?? 0) > 0)
  if (sum)
    throw problem('totals-too-large', {
      detail: `The sum of ${sum.name} is larger than its form can hold in one of the groups. Group by more fields. ${narrower(view)}.`,
    })
}

const narrower = ({ filters, totals }: View): string => {
  const [first] = filters
  return first === undefined
    ? `${totals?.of().name} offers no filter to count fewer rows`
    : `Count fewer rows with a filter, such as filter[${first}]`
}
