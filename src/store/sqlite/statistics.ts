import type { Session } from '../store.ts'

/** Bits of PRAGMA optimize: all tables (0x10000), those that need it are analyzed (0x02), or only named (0x01). */
const analyze = 'PRAGMA optimize(0x10002)'
const namesOnly = 'PRAGMA optimize(0x10003)'

/**
 * Counts how values are distributed in tables that have grown. Without these counts SQLite takes every account for small, and walks
 * through all its rows where an index of a filter or a rule would find few. SQLite looks at some thousand rows of an index at most.
 */
export async function analyzeGrown(session: Session): Promise<void> {
  const due = await session.all(namesOnly)
  if (due.length === 0) return
  await session.script(analyze)
  // Connections read the counts along with the schema, so a change of the schema makes all of them read the new ones.
  await session.script(
    'BEGIN IMMEDIATE; CREATE TABLE "nounkit_statistics" ("x"); DROP TABLE "nounkit_statistics"; COMMIT',
  )
}
