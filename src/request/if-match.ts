import { versionIn } from '../call/etag.ts'

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
