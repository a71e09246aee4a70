import type { Call } from '../call/call.ts'
import { etagOf } from '../call/etag.ts'
import { problem } from '../problems.ts'
import type { IfMatch } from '../request/if-match.ts'

export function refuseStale(ifMatch: IfMatch | null, version: number, { target, caller }: Call): void {
  const { view } = target
  if (ifMatch === null && view.requireIfMatch) {
    throw problem('precondition-required', {
      detail: `Changing ${view.name} needs If-Match with the ETag of the version you saw.`,
    })
  }
  if (ifMatch === null || ifMatch === '*' || ifMatch.includes(String(version))) return
  throw problem('precondition-failed', {
    detail: 'If-Match does not name the current version of the resource.',
    headers: { ETag: etagOf(view, version, caller.scopes) },
  })
}
