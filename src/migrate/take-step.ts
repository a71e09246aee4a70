import { type Session, StoreError } from '../store/store.ts'
import { MigrationRefused, notUnique } from './migration.ts'
import type { Step } from './migration-step.ts'
import type { TableStatement } from './plan/table-sql.ts'
import { eventStatements } from './rows/rewrite-events.ts'
import { refuseForRows } from './rows/rows-in-the-way.ts'
import type { Reading } from './rows/scan.ts'

/** Takes a step within a transaction. Rows that do not allow it are named first: PostgreSQL answers nothing more once a statement failed. */
export async function takeStep(reading: Reading, step: Step, fate: string): Promise<void> {
  await refuseForRows(reading, step, fate)
  for await (const statement of statementsOf(reading, step))
    await run(reading.session, statement).catch((error: unknown) => {
      if (!(error instanceof StoreError && error.kind === 'unique')) throw error
      // Rows get a value by this step that others have.
      const would = `rows of ${step.table} would share values of ${error.columns.join(', ')}`
      throw new MigrationRefused([notUnique(step, would)], error)
    })
}

/** The statements of a step. Those that follow from what rows hold are made one by one. */
export async function* statementsOf(reading: Reading, step: Step): AsyncGenerator<TableStatement> {
  if (step.sql !== '') yield step
  if (!step.rewrites) return
  yield* eventStatements(reading, step.rewrites.model, step.rewrites.changes)
}

const run = async (session: Session, { sql, params }: TableStatement): Promise<unknown> =>
  params ? session.all(sql, params) : session.script(sql)
