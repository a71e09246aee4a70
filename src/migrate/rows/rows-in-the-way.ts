import type { Session, Store } from '../../store/store.ts'
import { MigrationRefused, notUnique } from '../migration.ts'
import type { Step } from '../migration-step.ts'
import { everyRow } from '../plan/findings.ts'
import { readPostgres } from '../postgres/read-tables.ts'
import { readSqlite } from '../sqlite/read-tables.ts'
import { refuseSumsBeyond } from '../sums/sum-limit.ts'
import { refuseWithoutValue } from './demanded-values.ts'
import { sharedRows } from './shared-values.ts'

/**
 * Throws as the migration itself would where rows do not allow a step: a sum that is too large, values that must be unique now. What
 * reads columns that earlier steps add, rename or convert cannot be told before they are applied, and is left to the migration.
 */
export async function refuseForRows(store: Store, steps: readonly Step[]): Promise<void> {
  await store.session(async (session) => {
    const present = await (store.dialect.name === 'sqlite' ? readSqlite : readPostgres)(session)
    await refuseSumsBeyond(session, steps, present)
    for (const step of steps) {
      const columns = present.get(step.table)?.columns
      if (columns && step.demands?.every(({ column, rows }) => columns.has(column) || rows === everyRow))
        await refuseWithoutValue(session, step)
      if (step.unique?.every(({ name }) => columns?.has(name))) await refuseShared(session, store, step)
    }
  })
}

async function refuseShared(session: Session, { dialect }: Store, step: Step): Promise<void> {
  const shared = await sharedRows(session, dialect, step)
  if (shared !== null) throw new MigrationRefused([notUnique(step, shared)])
}
