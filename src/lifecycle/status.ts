import type { Model, Version } from '../compile/model.ts'

/** `supported`: a newer version is current, and this one is not deprecated yet; `sunset`: past that day, and still served. */
export type Status = 'unpublished' | 'current' | 'supported' | 'deprecated' | 'sunset' | 'retired'

/** Where a version stands at a moment. Dates in the future change nothing yet. */
export function statusOf(
  version: Version,
  { versions }: Model,
  now: number,
  isRetired: (version: Version) => boolean,
): Status {
  const reached = (seconds: number | undefined): boolean => seconds !== undefined && seconds * 1000 <= now
  if (isRetired(version)) return 'retired'
  // A sunset is the last second of its day, which is promised too.
  if (version.sunset && reached(version.sunset.seconds + 1)) return 'sunset'
  if (reached(version.deprecated?.seconds)) return 'deprecated'
  // The newest that is published. Before any is, the newest of all is what callers have.
  const current = versions.findIndex(({ published }) => reached(published?.seconds))
  const place = versions.indexOf(version) - Math.max(current, 0)
  if (place === 0) return 'current'
  return place < 0 ? 'unpublished' : 'supported'
}
