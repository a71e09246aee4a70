import { ident, sqlText } from '../../plan/dialect.ts'
import type { Session } from '../store.ts'
import type { Lineage } from './lineage.ts'
import type { Step } from './migration-step.ts'
import type { PresentTable } from './present.ts'
import type { Found } from './rename-steps.ts'
import type { RenameWords } from './rename-words.ts'
import type { Check } from './table.ts'

export interface FormerValues {
  /** Values that no longer are any → what they are called now. */
  readonly stale: ReadonlyMap<string, string>
  /** By version: old values whose name means something else by now, so that a row does not tell which it has. */
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

/** Rows that still have a value that was renamed. */
export async function valueSteps<T extends PresentTable>(
  session: Session,
  found: Found,
  there: T,
  words: RenameWords<T>,
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
    const around = words.aroundValues(found, after, check, new Set(stale.keys()), updates)
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

/** Asked only where no check of the database says it already. */
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
