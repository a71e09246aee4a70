import type { ListQuery } from '../call/query.ts'
import type { EventScan } from '../events/event-scan.ts'
import { Problem, problem } from '../problems.ts'
import { FieldErrors } from '../request/field-errors.ts'
import { badQuery, readParameters } from '../request/parameters.ts'

/** What a list can be asked for and a stream cannot. */
export function refusePages(query: string, { sort }: ListQuery): void {
  const errors = new FieldErrors()
  if (sort[0]?.descending)
    errors.add(() => ({
      parameter: 'sort',
      detail: 'must be left out: a stream shows events as they happen',
      code: 'sort',
    }))
  if (readParameters(query, new FieldErrors()).has('limit'))
    errors.add(() => ({
      parameter: 'limit',
      detail: 'must be left out: a stream has no pages',
      code: 'unknown',
    }))
  if (errors.count > 0) throw badQuery(errors)
}

/** Null for events from now on. A client that reconnects sends the URL as before, so the header is newer than the cursor. */
export function streamStart(
  scan: EventScan,
  lastEventId: string | null | undefined,
  cursor: string | null,
): number | null {
  if (!lastEventId) return cursor === null ? null : scan.positionAt(cursor)
  try {
    return scan.positionAt(lastEventId)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw problem('bad-cursor', {
      detail: 'Last-Event-ID was altered, or belongs to another account, version or filter.',
      errors: [
        {
          header: 'Last-Event-ID',
          detail: 'does not fit this request; leave it out to begin with what happens now',
          code: 'cursor',
        },
      ],
    })
  }
}
