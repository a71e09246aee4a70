import type { View } from '../compile/model.ts'
import { cutEnd, cutStart } from '../plan/project.ts'
import type { Cut, Statement } from '../plan/statement.ts'
import type { Caller } from '../request/caller.ts'
import { cursorBound, orderText } from '../request/cursor.ts'
import { madeFields } from '../request/customs.ts'
import type { Grants } from '../request/grants.ts'
import type { Included } from '../request/include.ts'
import { shownTo } from '../request/shown-fields.ts'
import { withTieBreak } from '../request/sort.ts'
import type { Reader } from './call.ts'

/**
 * Store's text → consumer's text: writes the continuations of includes that were cut, runs custom changes, and takes out the
 * whitespace between rows, so that a body has the same bytes whether its rows passed through code or not.
 */
export function finishText(text: string, statement: Statement, reader: Reader, caller: Caller): string {
  const whole =
    statement.cuts.length > 0 && text.includes(cutEnd) ? continueCuts(text, statement, reader, caller) : text
  if (!statement.customs) return whole.replace(rowSeparator, ',')
  const { view, tree, grants } = statement.customs
  const rows: unknown = JSON.parse(`[${whole}]`)
  return (rows as Row[]).map((row) => JSON.stringify(showRow(row, view, tree, grants))).join(',')
}

/** Any of `separators`. JSON has no such whitespace inside strings, where it is escaped. */
const rowSeparator = /,[\n\t\r]/g

const marks = new RegExp(`([${cutStart}${cutEnd}])`)

/** One pass over the text: a start opens a list that was cut, its end closes the innermost one that is open. */
function continueCuts(text: string, statement: Statement, reader: Reader, caller: Caller): string {
  const open = ['']
  const parts = text.split(marks)
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? ''
    if (part === cutStart) open.push('')
    else if (part !== cutEnd) open.push((open.pop() ?? '') + part)
    else {
      // Between the two marks of an end stand the index of the cut include and the id of its owner.
      const [index = '', ownerId = ''] = parts[at + 1]?.split(':') ?? []
      const cut = statement.cuts[Number(index)]
      if (!cut) throw new Error('an include was cut that the statement does not know')
      const list = continued(open.pop() ?? '', cut, ownerId, reader, caller)
      open.push((open.pop() ?? '') + list)
      at += 2
    }
  }
  return open.join('')
}

/** The list without its extra last row, which only says that there are more, and with the URL of the next page. */
function continued(list: string, cut: Cut, ownerId: string, reader: Reader, caller: Caller): string {
  const { separator, view, sub, cap } = cut
  const boundary = list.lastIndexOf(separator)
  const before = list.lastIndexOf(separator, boundary - 1)
  const last = rowId(list, before < 0 ? '{"data":['.length : before + separator.length)
  const order = orderText(withTieBreak([], view), [])
  const bound = cursorBound(caller, { version: view.version, view, sub, ownerId }, order)
  const cursor = reader.seal.seal(`["${last}"]`, bound)
  const next = `/${view.version.name}/${sub.owner().name}/${ownerId}/${sub.segment}?limit=${cap}&cursor=${cursor}`
  const page = JSON.stringify({ limit: cap, has_more: true, next_cursor: cursor, next })
  return `${list.slice(0, boundary)}],"page":${page}}`
}

/** The id of the row that begins at `at`. Statements write the id first; a row that begins otherwise is an error. */
export function rowId(text: string, at: number): string {
  idFirst.lastIndex = at
  const id = idFirst.exec(text)?.[1]
  if (id === undefined) throw new Error('a row does not begin with its id')
  return id
}

const idFirst = /\{"id":"([^"]+)"/y

type Row = { [key: string]: unknown }

function showRow(row: Row, view: View, tree: readonly Included[], grants: Grants): Row {
  const steps = view.customs.map((_, index) => row[`@${index}`] as Row)
  const made = madeFields(view, (field) => {
    const step = view.customs.findIndex((one) => one.newer.includes(field))
    return steps[step]?.[field.name]
  })
  const shown: Row = {}
  for (const field of shownTo(view, grants).fields)
    shown[field.name] = field.made ? made[field.name] : row[field.name]
  for (const { relation, children } of tree)
    shown[relation.name] = showRelated(row[relation.name], relation.target(), children, grants)
  return shown
}

function showRelated(value: unknown, view: View, tree: readonly Included[], grants: Grants): unknown {
  if (value === null) return null
  const related = value as Row
  if (!Array.isArray(related.data)) return showRow(related, view, tree, grants)
  return { ...related, data: related.data.map((row: Row) => showRow(row, view, tree, grants)) }
}
