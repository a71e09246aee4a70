import { ident } from '../../plan/dialect.ts'
import { objectName } from '../../plan/object-name.ts'
import type { Session, Store } from '../../store/store.ts'
import type { Step } from '../migration-step.ts'
import { runSteps } from './steps.ts'

/**
 * Makes a column NOT NULL whose rows all have a value. The constraint is validated first, without a lock that requests wait for: with it, SET NOT
 * NULL does not read the table. `demand` is called under a lock that keeps other processes from starting to serve, and throws where one
 * may leave the value out.
 */
export async function requireOnPostgres(
  store: Store,
  key: string,
  demand: () => Promise<void>,
): Promise<void> {
  const { table, column, constraint } = named(key)
  const alter = (change: string): string => `ALTER TABLE ${ident(table)} ${change}`
  const drop = alter(`DROP CONSTRAINT IF EXISTS ${ident(constraint)}`)
  const set = `ALTER COLUMN ${ident(column)} SET NOT NULL`
  const add = `ADD CONSTRAINT ${ident(constraint)} CHECK (${ident(column)} IS NOT NULL) NOT VALID`
  const guarded = { additive: true, stops: true }
  await store.session(async (session) => {
    const spread = await isSpread(session)
    const run = (sql: string, more: Partial<Step> = {}) =>
      runSteps(
        store,
        session,
        [{ table, sql, why: `${key} has a value in every row`, additive: true, ...more }],
        {
          spread,
          beforeStop: demand,
        },
      )
    try {
      await run(`${drop};\n${alter(add)}`, guarded)
      await run(alter(`VALIDATE CONSTRAINT ${ident(constraint)}`))
      await run(`${alter(set)};\n${drop}`, guarded)
    } catch (error) {
      await run(drop)
      throw error
    }
  })
}

/** Takes away what a process left that was killed meanwhile. */
export async function forgetRequired(store: Store, key: string): Promise<void> {
  const { table, constraint } = named(key)
  const sql = `ALTER TABLE ${ident(table)} DROP CONSTRAINT IF EXISTS ${ident(constraint)}`
  await store.session(async (session) =>
    runSteps(store, session, [{ table, sql, why: `${key} may be left out again`, additive: true }], {
      spread: await isSpread(session),
    }),
  )
}

function named(key: string): {
  readonly table: string
  readonly column: string
  readonly constraint: string
} {
  const [table = '', column = ''] = key.split('.')
  return { table, column, constraint: objectName(table, [column], 'set') }
}

const isSpread = async (session: Session): Promise<boolean> =>
  (await session.all(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)).length > 0
