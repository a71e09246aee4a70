import { type Session, type Store, StoreError } from '../../store/store.ts'
import { type MigrateOptions, sharedValues } from '../migration.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import { type Index, type Table, uniqueColumns } from '../wanted/table.ts'
import * as ddl from './ddl.ts'
import { indexWaitsFor } from './lock-holders.ts'

/** How often the operator is told that an index still waits. */
const tellEveryMs = 10_000

/** The steps for an index that a table lacks. Within a transaction, which locks the table anyway, it is not built online. */
export function indexSteps(table: Table, found: PresentTable, index: Index, isOnline: boolean): Step[] {
  const present = found.indexes.get(index.name)
  if (present?.valid) return []
  const step = (sql: string, why: string): Step => ({
    table: table.name,
    sql,
    why,
    additive: true,
    alone: true,
    online: true,
  })
  const create = {
    ...step(ddl.createIndex(table, index, isOnline), `index ${index.name} is new`),
    ...uniqueColumns(table, index),
  }
  if (!present) return [create]
  return [step(ddl.dropIndex(index.name, isOnline), `index ${index.name} was left unfinished`), create]
}

export const isOnlineIndex = (step: Step | undefined): step is Step =>
  step !== undefined && /INDEX CONCURRENTLY/.test(step.sql)

/**
 * An index that is built or dropped concurrently blocks neither reads nor writes, also while it waits for older transactions to end. It
 * needs no lock timeout, which would leave it unfinished.
 */
export async function buildOnline(
  store: Store,
  session: Session,
  step: Step,
  { waiting }: Pick<MigrateOptions, 'waiting'>,
): Promise<void> {
  const timer = setInterval(async () => {
    const older = await indexWaitsFor(store, step.table).catch(() => null)
    if (older) waiting?.(`${step.why}: it is built once older transactions have ended. ${older}`)
  }, tellEveryMs)
  try {
    await session.script(step.sql)
  } catch (error) {
    const index = /INDEX CONCURRENTLY (?:IF EXISTS )?"([^"]+)"/.exec(step.sql)?.[1]
    // The rest of an index that could not be built would be maintained by every write. A later migration would drop it too.
    if (index) await session.script(ddl.dropIndex(index)).catch(() => {})
    if (!(error instanceof StoreError && error.kind === 'unique')) throw error
    throw await sharedValues(session, store.dialect, step, error)
  } finally {
    clearInterval(timer)
  }
}
