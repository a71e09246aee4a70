import { sqlText } from '../kinds/sql.ts'
import { idents } from '../plan/dialect.ts'
import type { Store, Value } from '../store/store.ts'
import { stepHeading } from './migration.ts'
import type { Step } from './migration-step.ts'
import { isOneTransaction, lockedTables, type StorePlan } from './plan/store-plan.ts'
import type { TableStatement } from './plan/table-sql.ts'
import { isOnlineIndex } from './postgres/online-index.ts'
import { statementsOf } from './take-step.ts'

/**
 * A plan as SQL for people whose database is changed by others: what `migrate` would run, in the same transactions. What it records of the
 * store is among it, or the next process that starts finds it out from the tables.
 */
export async function sqlScript(store: Store, plan: StorePlan): Promise<string> {
  const { steps } = plan
  const isWhole = isOneTransaction(plan)
  const parts: string[] = []
  for (const step of steps) {
    const text = await textOf(store, step)
    parts.push(isWhole || isOnlineIndex(step) ? text : ['BEGIN;', text, 'COMMIT;'].join('\n'))
  }
  if (!isWhole || parts.length === 0) return parts.join('\n\n')
  const begin = plan.database === 'sqlite' ? sqliteBegin : postgresBegin(lockedTables(plan))
  return [begin, ...parts, 'COMMIT;'].join('\n\n')
}

/** References would follow a table that is copied and dropped. */
const sqliteBegin = 'PRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;'

/** No process begins to serve meanwhile. */
const postgresBegin = (tables: readonly string[]): string =>
  [
    'BEGIN;',
    'LOCK TABLE "nounkit_recorders" IN SHARE MODE;',
    ...(tables.length > 0 ? [`LOCK TABLE ${idents(tables)};`] : []),
  ].join('\n')

const textOf = (store: Store, step: Step): Promise<string> =>
  store.session(async (session) => {
    const lines = [stepHeading(step), ...(step.lock ? [`${step.lock};`] : [])]
    for await (const statement of statementsOf({ session, dialect: store.dialect }, step))
      lines.push(`${withValues(statement)};`)
    return lines.join('\n')
  })

/** The text of a statement with its values in place of `$1` or `?1`. */
const withValues = ({ sql, params }: TableStatement): string =>
  params ? sql.replaceAll(/[$?](\d+)/g, (_, place) => literal(params[Number(place) - 1])) : sql

const literal = (value: Value | undefined): string =>
  typeof value === 'string' ? sqlText(value) : String(value ?? 'NULL')
