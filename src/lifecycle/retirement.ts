import type { Version } from '../compile/model.ts'
import type { Store } from '../store/store.ts'
import { readRetired } from './retirement-decisions.ts'
import type { Retirement } from './use.ts'

export interface FollowedRetirement extends Retirement {
  /** The names of all retired versions, also of those that are declared no more. */
  names(): ReadonlySet<string>
  /** Reads the decisions again. When the store cannot be read, the last known ones stay. */
  refresh(): Promise<void>
}

/** Keeps the decisions of the store in memory, so that requests do not read them. */
export async function followRetirement(store: Store): Promise<FollowedRetirement> {
  let retired: ReadonlySet<string> = new Set()
  const refresh = async (): Promise<void> => {
    retired = await readRetired(store)
  }
  await refresh()
  const isRetired = ({ name }: Version): boolean => retired.has(name)
  const successorOf = (version: Version): Version | null => servedSuccessor(version, isRetired)
  return { isRetired, names: () => retired, successorOf, refresh }
}

/** The nearest newer version that is not retired itself. */
export function servedSuccessor(version: Version, isRetired: (version: Version) => boolean): Version | null {
  let newer = version.successor
  while (newer && isRetired(newer)) newer = newer.successor
  return newer
}
