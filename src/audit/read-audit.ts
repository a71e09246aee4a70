import type { Call, Outcome } from '../call/call.ts'
import { etagOf } from '../call/etag.ts'
import type { PageQuery } from '../call/query.ts'
import { notThere } from '../call/target.ts'
import type { Audience } from '../events/show-event.ts'
import type { Reader } from '../read/reader.ts'
import { cursorBound } from '../request/cursor.ts'
import { type AuditReader, auditEntry, auditPage } from './audit-scan.ts'

const sightOf = ({ caller, target }: Call, audience: Audience) => ({
  account: caller.account,
  version: target.version,
  audience,
})

/** GET of one audit entry. */
export async function readAuditEntry(reader: AuditReader, call: Call, audience: Audience): Promise<Outcome> {
  const entry = await auditEntry(reader, sightOf(call, audience), call.target.id ?? '')
  if (!entry) throw notThere(call.target)
  return {
    status: 200,
    body: JSON.stringify({ data: entry }),
    etag: etagOf(call.target.view, 1, audience.grants),
  }
}

/** More than the envelope of a page has, with its cursor. */
const bytesAroundRows = 1_000

/** One page of the audit entries of an account. */
export async function readAuditList(
  reader: AuditReader & Pick<Reader, 'seal'>,
  call: Call,
  { list, cursor }: PageQuery,
  audience: Audience,
): Promise<Outcome> {
  const bound = cursorBound(call.caller, call.target, list.order)
  // The position may be that of an entry that the reader is not shown, and an id tells a time. So it is hidden.
  const { entries, next } = await auditPage(reader, sightOf(call, audience), {
    filters: list.filters,
    descending: list.sort[0]?.descending ?? true,
    after: cursor === null ? null : reader.seal.revealId(cursor, bound),
    limit: list.limit,
    bytes: Math.max(0, call.target.view.limits.responseBytes - bytesAroundRows),
  })
  const sealed = next === null ? null : reader.seal.hideId(next, bound)
  const page = { limit: list.limit, has_more: next !== null, next_cursor: sealed }
  return {
    status: 200,
    body: JSON.stringify({ data: entries, page }),
    next: sealed === null ? null : list.next + sealed,
    canonical: null,
  }
}
