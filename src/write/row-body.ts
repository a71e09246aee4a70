import type { Call } from '../call/call.ts'
import { shownText } from '../call/row-text.ts'
import type { StoredRow } from '../call/stored-row.ts'
import { problem } from '../problems.ts'
import { FieldErrors, placeOf } from '../request/field-errors.ts'
import { fieldsRefused } from '../request/fields-refused.ts'
import { ofRow } from './within-row.ts'

/** What an event has besides the row that it tells of, or a page of one row: both can be shown then. */
const bytesAroundRow = 1_000

const mostBytesPerUnit = 3

/**
 * The body that answers a write. A write is refused, before it is committed, whose row no answer could show: neither its own nor any that
 * is given later. Each body is bounded, but a row can grow with every PATCH.
 */
export const rowBody = (call: Call, row: StoredRow): string => `{"data":${rowText(call, row)}}`

/** The body that answers the create of a list. */
export function listBody(call: Call, rows: readonly StoredRow[]): string {
  const { view } = call.target
  const { responseBytes } = view.limits
  const body = `{"data":[${rows.map((row, index) => textOfListed(call, row, index)).join(',')}]}`
  if (body.length * mostBytesPerUnit <= responseBytes || Buffer.byteLength(body) <= responseBytes) return body
  throw problem('response-too-large', {
    detail: `The answer would have more than ${responseBytes} bytes. Send fewer than ${rows.length} ${view.name} at once. Nothing was written.`,
    members: { limit: responseBytes },
  })
}

function textOfListed(call: Call, row: StoredRow, index: number): string {
  try {
    return rowText(call, row)
  } catch (error) {
    throw ofRow(placeOf(index), error)
  }
}

function rowText({ target, caller }: Call, row: StoredRow): string {
  const text = shownText(target.view, row, caller.scopes)
  const most = target.view.limits.responseBytes - bytesAroundRow
  // Most rows are so short that their bytes need not be counted.
  if (text.length * mostBytesPerUnit > most && Buffer.byteLength(text) > most)
    throw fieldsRefused(
      FieldErrors.of({
        pointer: '#',
        detail: `would be a row of more than ${most} bytes, which no answer can show; shorten its texts`,
        code: 'too_long',
      }),
    )
  return text
}
