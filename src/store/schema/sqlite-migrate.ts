import { type Session, type Store, StoreError } from '../store.ts'
import { type MigrateOptions, type Migration, MigrationRefused } from './migration.ts'
import { sqliteDifference } from './sqlite-difference.ts'
import { readSqlite } from './sqlite-read.ts'
import type { Step } from './step.ts'
import type { Table } from './table.ts'

export async function migrateSqlite(
  store: Store,
  wanted: readonly Table[],
  options: MigrateOptions,
): Promise<Migration> {
  return store.session(async (session) => {
    const steps = sqliteDifference(wanted, await readSqlite(session))
    if (options.dryRun) return { steps, applied: false }
    refuse(steps)
    return steps.length === 0 ? { steps, applied: false } : apply(session, wanted)
  })
}

/** The whole migration is one transaction, and the plan is made under its lock: another process may have done it meanwhile. */
async function apply(session: Session, wanted: readonly Table[]): Promise<Migration> {
  await session.script('BEGIN IMMEDIATE')
  try {
    const steps = sqliteDifference(wanted, await readSqlite(session))
    refuse(steps)
    for (const step of steps) await run(session, step)
    const broken = await session.all('PRAGMA foreign_key_check')
    if (broken.length > 0)
      throw new Error(`The migration would leave ${broken.length} rows that refer to nothing; it was undone`)
    await session.script('COMMIT')
    return { steps, applied: steps.length > 0 }
  } catch (error) {
    await session.script('ROLLBACK')
    throw error
  }
}

const refuse = (steps: readonly Step[]): void => {
  if (steps.some((step) => !step.additive)) throw new MigrationRefused(steps)
}

async function run(session: Session, step: Step): Promise<void> {
  try {
    await session.script(step.sql)
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'unique')) throw error
    const why = `${step.why}, but rows of ${step.table} share values of ${error.columns.join(', ')}: change those first`
    throw new MigrationRefused([{ ...step, additive: false, why }], error)
  }
}
