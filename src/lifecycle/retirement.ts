import type { Version } from '../compile/model.ts'
import { departingFrom } from '../store/departures.ts'
import { metaFacts, selectAllMeta } from '../store/meta.ts'
import type { Store } from '../store/store.ts'
import { selectRetired } from './retirement-decisions.ts'

/** Which versions have been retired: read by every request, changed by a decision in the store. */
export interface Retirement {
  isRetired(version: Version): boolean
  /** Whether an account is being deleted. */
  isDeparting(account: string): boolean
  /** The nearest newer version that is still served. */
  successorOf(version: Version): Version | null
}

export interface FollowedRetirement extends Retirement {
  /** The names of all retired versions, also of those that are declared no more. */
  names(): ReadonlySet<string>
  /** Reads the decisions again. When the store cannot be read, the last known ones stay. */
  refresh(): Promise<void>
}

/** Keeps the decisions of the store, and which accounts are being deleted, in memory, so that requests do not read them. */
export async function followRetirement(store: Store): Promise<FollowedRetirement> {
  let retired: ReadonlySet<string> = new Set()
  let departing: ReadonlySet<string> = new Set()
  // One statement, because every process sends it every two seconds. No version is called as accounts are in the keys.
  const { key } = metaFacts.deletion
  const text = `${selectRetired} UNION ALL ${selectAllMeta(metaFacts.deletion)}`
  const refresh = async (): Promise<void> => {
    const names = (await store.all(text, [])).map(([name]) => String(name))
    retired = new Set(names.filter((name) => !name.startsWith(key)))
    departing = departingFrom(names.filter((name) => name.startsWith(key)))
  }
  await refresh()
  const isRetired = ({ name }: Version): boolean => retired.has(name)
  const successorOf = (version: Version): Version | null => servedSuccessor(version, isRetired)
  const isDeparting = (account: string): boolean => departing.has(account)
  return { isRetired, isDeparting, names: () => retired, successorOf, refresh }
}

/** The nearest newer version that is not retired itself. */
export function servedSuccessor(version: Version, isRetired: (version: Version) => boolean): Version | null {
  let newer = version.successor
  while (newer && isRetired(newer)) newer = newer.successor
  return newer
}
