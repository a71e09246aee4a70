import type { View } from '../compile/model.ts'
import { cutEnd, cutStart } from '../plan/project.ts'
import type { Statement } from '../plan/statement.ts'
import { cursorBound } from '../request/cursor.ts'
import { madeFields } from '../request/customs.ts'
import type { Included } from '../request/include.ts'
import { withTieBreak } from '../request/sort.ts'
import type { Runner } from './run.ts'

/** Store's text → consumer's text: writes the continuations of includes that were cut, and runs custom changes. */
export function finishText(text: string, statement: Statement, runner: Runner, account: string): string {
  const whole =
    statement.cuts.length > 0 && text.includes(cutEnd) ? continueCuts(text, statement, runner, account) : text
  if (!statement.customs) return whole
  const { view, tree } = statement.customs
  const rows: unknown = JSON.parse(`[${whole}]`)
  return (rows as Row[]).map((row) => JSON.stringify(showRow(row, view, tree))).join(',\n')
}

/** Innermost cuts end first, so the nearest start before an end is its own. */
function continueCuts(text: string, statement: Statement, runner: Runner, account: string): string {
  let rest = text
  for (let end = rest.indexOf(cutEnd); end >= 0; end = rest.indexOf(cutEnd)) {
    const stop = rest.indexOf(cutEnd, end + 1)
    const colon = rest.indexOf(':', end)
    const cut = statement.cuts[Number(rest.slice(end + 1, colon))]
    const ownerId = rest.slice(colon + 1, stop)
    const start = rest.lastIndexOf(cutStart, end)
    if (!cut) throw new Error('an include was cut that the statement does not know')
    const boundary = rest.lastIndexOf(cut.separator, end)
    const lastRow = Math.max(rest.lastIndexOf(cut.separator, boundary - 1) + cut.separator.length, start + 10)
    const last = rowId(rest, lastRow)
    const sort = withTieBreak([], cut.view)
    const bound = cursorBound(
      account,
      { version: cut.view.version, view: cut.view, sub: cut.sub, ownerId },
      sort,
      [],
    )
    const cursor = runner.seal.seal([last], bound)
    const owner = cut.sub.owner()
    const next = `/${cut.view.version.name}/${owner.name}/${ownerId}/${cut.sub.segment}?limit=${cut.cap}&cursor=${cursor}`
    const page = JSON.stringify({ limit: cut.cap, has_more: true, next_cursor: cursor, next })
    rest = `${rest.slice(0, start)}${rest.slice(start + 1, boundary)}],"page":${page}}${rest.slice(stop + 1)}`
  }
  return rest
}

/** Every row begins `{"id":"…"`. */
export const rowId = (text: string, at: number): string => text.slice(at + 7, text.indexOf('"', at + 7))

type Row = { [key: string]: unknown }

function showRow(row: Row, view: View, tree: readonly Included[]): Row {
  const steps = view.customs.map((_, index) => row[`@${index}`] as Row)
  const made = madeFields(view, (field) => {
    const step = view.customs.findIndex((one) => one.newer.includes(field))
    return steps[step]?.[field.name]
  })
  const shown: Row = {}
  for (const field of view.fields)
    if (!field.writeOnly) shown[field.name] = field.made ? made[field.name] : row[field.name]
  for (const { relation, children } of tree)
    shown[relation.name] = showRelated(row[relation.name], relation.target(), children)
  return shown
}

function showRelated(value: unknown, view: View, tree: readonly Included[]): unknown {
  if (value === null) return null
  const related = value as Row
  if (!Array.isArray(related.data)) return showRow(related, view, tree)
  return { ...related, data: related.data.map((row: Row) => showRow(row, view, tree)) }
}
