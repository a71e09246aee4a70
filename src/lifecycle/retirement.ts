import type { Model, Version } from '../compile/model.ts'
import type { Store } from '../store/store.ts'
import { readRetired } from './decisions.ts'
import type { Retirement } from './use.ts'

export interface FollowedRetirement extends Retirement {
  /** Reads the decisions again. When the store cannot be read, the last known ones stay. */
  refresh(): Promise<void>
}

/** Keeps the decisions of the store in memory, so that requests do not read them. */
export async function followRetirement(store: Store, model: Model): Promise<FollowedRetirement> {
  let retired: ReadonlySet<Version> = new Set()
  const refresh = async (): Promise<void> => {
    const names = await readRetired(store)
    retired = new Set(model.versions.filter((version) => names.has(version.name)))
  }
  await refresh()
  const isRetired = (version: Version): boolean => retired.has(version)
  return { isRetired, successorOf: (version) => servedSuccessor(version, isRetired), refresh }
}

/** The nearest newer version that is not retired itself. */
export function servedSuccessor(version: Version, isRetired: (version: Version) => boolean): Version | null {
  let newer = version.successor
  while (newer && isRetired(newer)) newer = newer.successor
  return newer
}
