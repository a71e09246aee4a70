import type { Session } from '../store.ts'
import { refuseBothNames } from './both-names.ts'
import type { Lineage } from './lineage.ts'
import type { Step } from './migration-step.ts'
import { refuseOlderDeclaration } from './older-declaration.ts'
import type { PresentTable } from './present.ts'
import type { RenameSql } from './rename-sql.ts'
import { type Found, planRenames } from './rename-steps.ts'
import { renameRecords } from './sums.ts'
import { swapSteps } from './swaps.ts'
import type { Table } from './table.ts'
import { refuseUnconvertible, unconvertible } from './unconvertible.ts'
import { valueSteps } from './value-steps.ts'

export interface BeforeAdditions<T> {
  readonly steps: readonly Step[]
  /** Steps after all additions, which may create the engine's own tables. */
  readonly last: readonly Step[]
  /** The tables and columns that the steps rename. */
  readonly renamed: readonly Found[]
  /** The tables after the steps have run. */
  readonly present: ReadonlyMap<string, T>
}

/** The renames and conversions of a store that an older declaration left. They run before anything is added. */
export async function renameFirst<T extends PresentTable>(
  session: Session,
  wanted: readonly Table[],
  lineages: readonly Lineage[],
  before: ReadonlyMap<string, T>,
  renameSql: RenameSql<T>,
): Promise<BeforeAdditions<T>> {
  await refuseOlderDeclaration(session, wanted, lineages, before)
  const renamed = planRenames(wanted, lineages, before, renameSql.renamedTable)
  await refuseBothNames(session, renameSql.conversions.dialect, wanted, renamed.found, before)
  const swaps = await swapSteps(session, wanted, lineages, before, renamed, renameSql)
  const present = new Map(renamed.present)
  const values: Step[] = []
  const names: Step[] = []
  const inTheWay: string[] = []
  for (const found of renamed.found) {
    const there = present.get(found.table.name)
    if (!there) continue
    const revalued = await valueSteps(session, found, there, renameSql)
    const named = renameSql.oldNames(found, revalued.after)
    values.push(...revalued.steps)
    names.push(...named.steps)
    inTheWay.push(...(await unconvertible(session, found, there, renameSql.conversions)))
    present.set(found.table.name, named.after)
  }
  refuseUnconvertible(inTheWay)
  const records = await renameRecords(session, renamed.found)
  return {
    steps: [...renamed.steps, ...swaps.filter((step) => !step.additive), ...values, ...names, ...records],
    renamed: renamed.found,
    last: swaps.filter((step) => step.additive),
    present,
  }
}
