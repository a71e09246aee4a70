import { readNames, replaceNames, tellImages } from '../migrate/record/names-record.ts'
import type { Store } from '../store/store.ts'
import { readUnendedIfAllAnswer } from './recorder-rows.ts'
import { cascadeEntry, mayBeLeftOut } from './required-columns.ts'

/**
 * A cascade that was added while processes of an older declaration served is refused, by every process, as long as one serves that does not
 * know it. This records which ones those are today. True where some are refused that were not: others must learn that first.
 */
export async function settleCascades(store: Store): Promise<boolean> {
  const session = { all: async (sql: string) => store.all(sql, []) }
  for (;;) {
    const { text, names } = await readNames(session)
    if (names.restricting.length === 0) return false
    const processes = await readUnendedIfAllAnswer(store)
    // What is recorded stays, until the housekeeping can ask all of them.
    if (processes === null) return false
    const refusing = names.restricting.filter((key) => mayBeLeftOut(processes, cascadeEntry(key)))
    const isKnown = new Set(names.refusing).symmetricDifference(new Set(refusing)).size === 0
    if (isKnown) return false
    const now = { ...names, refusing }
    if (!(await replaceNames(store, now, text))) continue
    await tellImages(store, now)
    return refusing.some((key) => !names.refusing.includes(key))
  }
}
