import { changeNames } from '../migrate/record/names-record.ts'
import type { Store } from '../store/store.ts'
import { readUnendedIfAllAnswer } from './recorder-rows.ts'
import { cascadeEntry, mayBeLeftOut } from './required-columns.ts'

/**
 * A cascade that was added while processes of an older declaration served is refused, by every process, as long as one serves that does not
 * know it. This records which ones those are today. True where some are refused that were not: others must learn that first.
 */
export async function recordRefusedCascades(store: Store): Promise<boolean> {
  let isStricter = false
  await changeNames(store, async (names) => {
    isStricter = false
    if (names.restricting.length === 0) return null
    const processes = await readUnendedIfAllAnswer(store)
    // What is recorded stays, until the housekeeping can ask all of them.
    if (processes === null) return null
    const refusing = names.restricting.filter((key) => mayBeLeftOut(processes, cascadeEntry(key)))
    if (new Set(names.refusing).symmetricDifference(new Set(refusing)).size === 0) return null
    isStricter = refusing.some((key) => !names.refusing.includes(key))
    return { ...names, refusing }
  })
  return isStricter
}
