import type { Model, Version } from '../compile/model.ts'

/** `supported`: a newer version is current, and this one is not deprecated yet; `sunset`: past that day, and still served. */
export type Status = 'unpublished' | 'current' | 'supported' | 'deprecated' | 'sunset' | 'retired'

/** The status of a version at a time. Dates in the future do not count yet. */
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
  // The newest published version is current; before any is published, the newest of all.
  const current = versions.findIndex(({ published }) => reached(published?.seconds))
  const age = versions.indexOf(version) - Math.max(current, 0)
  if (age === 0) return 'current'
  return age < 0 ? 'unpublished' : 'supported'
}
