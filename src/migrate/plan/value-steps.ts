import { sqlText } from '../../kinds/sql.ts'
import { ident } from '../../plan/dialect.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import type { Lineage } from '../wanted/lineage.ts'
import type { Check } from '../wanted/table.ts'
import type { RenameSql } from './rename-sql.ts'
import type { Found } from './rename-steps.ts'

/** Present values → what they become. A value that another one is still called cannot be told from it afterwards, and stays. */
function changedValues({ former }: Lineage, { column, values }: Check): ReadonlyMap<string, string> {
  const all = former.flatMap((one) => [...(one.values.get(column) ?? [])])
  const kept = new Set(all.filter(([old, now]) => old === now).map(([old]) => old))
  const moved = all.filter(([old, now]) => old !== now && !values.includes(old) && !kept.has(now))
  const joined = all.filter(([old, now]) => old !== now && !values.includes(old) && kept.has(now))
  return new Map([...moved, ...joined])
}

/** Updates of rows that have a value which is called otherwise, or is joined with another one. */
export function valueSteps<T extends PresentTable>(
  found: Found,
  there: T,
  renameSql: RenameSql<T>,
): { readonly steps: readonly Step[]; readonly after: T; readonly changed: ValueChanges } {
  const steps: Step[] = []
  const changed = new Map<string, ReadonlyMap<string, string>>()
  let after = there
  for (const check of found.table.checks) {
    const values = changedValues(found.lineage, check)
    if (values.size === 0 || !there.columns.has(check.column)) continue
    const name = ident(check.column)
    const cases = [...values].map(([old, now]) => `WHEN ${sqlText(old)} THEN ${sqlText(now)}`)
    const listed = [...values.keys()].map(sqlText).join(', ')
    const update = `UPDATE ${ident(found.table.name)} SET ${name} = CASE ${name} ${cases.join(' ')} END WHERE ${name} IN (${listed})`
    const around = renameSql.aroundValues(found, after, check, new Set(values.keys()), [update])
    after = around.after
    changed.set(check.column, values)
    const pairs = [...values].map(([old, now]) => `${old} is ${now} now`)
    steps.push({
      table: found.table.name,
      sql: around.sql.join(';\n'),
      additive: false,
      why: `${pairs.join(', ')} in ${found.table.name}.${check.column}`,
      stops: true,
    })
  }
  return { steps, after, changed }
}

/** Column → old values → new ones. */
export type ValueChanges = ReadonlyMap<string, ReadonlyMap<string, string>>
