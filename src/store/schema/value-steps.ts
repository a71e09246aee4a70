import { sqlText } from '../../kinds/sql.ts'
import { ident } from '../../plan/dialect.ts'
import type { Session } from '../store.ts'
import type { Lineage } from './lineage.ts'
import type { Step } from './migration-step.ts'
import type { PresentTable } from './present.ts'
import type { RenameSql } from './rename-sql.ts'
import type { Found } from './rename-steps.ts'
import type { Check } from './table.ts'

export interface FormerValues {
  /** Values that no longer exist → their new names. */
  readonly stale: ReadonlyMap<string, string>
  /** By version: old values whose name means something else now, so that a row does not show which of the two it has. */
  readonly reused: ReadonlyMap<string, ReadonlyMap<string, string>>
}

export function formerValues({ former }: Lineage, { column, values }: Check): FormerValues {
  const stale = new Map<string, string>()
  const reused = new Map<string, ReadonlyMap<string, string>>()
  for (const one of former) {
    const mapped = [...(one.values.get(column) ?? [])].filter(([old, now]) => old !== now)
    if (!one.columns.has(column) || mapped.length === 0) continue
    const unclear = ([old, now]: readonly [string, string]) =>
      values.includes(old) || (stale.get(old) ?? now) !== now
    if (mapped.some(unclear)) reused.set(one.version, new Map(mapped))
    else for (const [old, now] of mapped) stale.set(old, now)
  }
  return { stale, reused }
}

/** Updates of rows that still have a renamed value. */
export async function valueSteps<T extends PresentTable>(
  session: Session,
  found: Found,
  there: T,
  renameSql: RenameSql<T>,
): Promise<{ readonly steps: readonly Step[]; readonly after: T }> {
  const steps: Step[] = []
  let after = there
  for (const check of found.table.checks) {
    const { stale } = formerValues(found.lineage, check)
    const stored = await storedOf(session, found, there, check, stale)
    if (stored.length === 0) continue
    const name = ident(check.column)
    const updates = stored.map(
      ([old, now]) =>
        `UPDATE ${ident(found.table.name)} SET ${name} = ${sqlText(now)} WHERE ${name} = ${sqlText(old)}`,
    )
    const around = renameSql.aroundValues(found, after, check, new Set(stale.keys()), updates)
    after = around.after
    steps.push({
      table: found.table.name,
      sql: around.sql.join(';\n'),
      additive: false,
      why: `${stored.map(([old, now]) => `${old} is ${now} now`).join(', ')} in ${found.table.name}.${check.column}`,
      rename: true,
      became: stored.map(([old, now]) => [`${found.table.name}.${check.column}=${old}`, now]),
    })
  }
  return { steps, after }
}

/** The renamed values that some row has. No query is needed where a check of the database excludes the value. */
async function storedOf(
  session: Session,
  found: Found,
  there: PresentTable,
  check: Check,
  stale: ReadonlyMap<string, string>,
): Promise<readonly (readonly [string, string])[]> {
  if (!there.columns.has(check.column)) return []
  const known = there.checks.get(check.name)
  const column = found.columns.find(({ to }) => to === check.column)?.from ?? check.column
  const stored: (readonly [string, string])[] = []
  for (const pair of stale) {
    if (known?.valid && !known.values.has(pair[0])) continue
    const row = `SELECT 1 FROM ${ident(found.name)} WHERE ${ident(column)} = ${sqlText(pair[0])} LIMIT 1`
    if ((await session.all(row)).length > 0) stored.push(pair)
  }
  return stored
}
