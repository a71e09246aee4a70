import { problem } from '../problems.ts'
import type { Call } from './call.ts'
import { etagOf, versionIn } from './etag.ts'

/** The versions a caller is willing to change; `*` is any. */
export type IfMatch = '*' | readonly string[]

/** RFC 9110 §13.1.1: If-Match compares strongly, so a weak tag matches nothing. */
export function readIfMatch(header: string | undefined): IfMatch | null {
  if (header === undefined) return null
  if (header.trim() === '*') return '*'
  // A write concerns the row alone: neither what was included nor the shape in which the caller saw it.
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)]
    .filter((tag) => !tag[1])
    .map((tag) => versionIn(tag[2] ?? ''))
}

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

/** RFC 9110 §13.1.2: If-None-Match compares weakly. */
export function notModified(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return false
  if (header === etag || header.trim() === '*') return true
  return [...header.matchAll(/(?:W\/)?("[^"]*")/g)].some((tag) => tag[1] === etag)
}
