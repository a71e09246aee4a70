/** RFC 9110 §13.1.2: If-None-Match compares weakly. */
export function notModified(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return false
  if (header === etag || header.trim() === '*') return true
  return [...header.matchAll(/(?:W\/)?("[^"]*")/g)].some((tag) => tag[1] === etag)
}
