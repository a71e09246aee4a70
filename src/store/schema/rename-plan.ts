import type { Session } from '../store.ts'
import type { Lineage } from './lineage.ts'
import type { Step } from './migration-step.ts'
import { refuseOlderDeclaration } from './older-declaration.ts'
import type { PresentTable } from './present.ts'
import { planRenames } from './rename-steps.ts'
import type { RenameWords } from './rename-words.ts'
import { swapSteps } from './swaps.ts'
import type { Table } from './table.ts'
import { refuseUnconvertible, unconvertible } from './unconvertible.ts'
import { valueSteps } from './value-steps.ts'

export interface BeforeAdditions<T> {
  readonly steps: readonly Step[]
  /** Once all additions are made: the engine's own tables may be among them. */
  readonly last: readonly Step[]
  /** The tables as they are once the steps have run. */
  readonly present: ReadonlyMap<string, T>
}

/** What a store that an older declaration left must go through before what is missing may be added. */
export async function renameFirst<T extends PresentTable>(
  session: Session,
  wanted: readonly Table[],
  lineages: readonly Lineage[],
  before: ReadonlyMap<string, T>,
  words: RenameWords<T>,
): Promise<BeforeAdditions<T>> {
  await refuseOlderDeclaration(session, wanted, lineages, before)
  const renamed = planRenames(wanted, lineages, before, words.renamedTable)
  const swaps = await swapSteps(session, wanted, lineages, before, renamed, words)
  const present = new Map(renamed.present)
  const values: Step[] = []
  const names: Step[] = []
  const inTheWay: string[] = []
  for (const found of renamed.found) {
    const there = present.get(found.table.name)
    if (!there) continue
    const revalued = await valueSteps(session, found, there, words)
    const named = words.oldNames(found, revalued.after)
    values.push(...revalued.steps)
    names.push(...named.steps)
    inTheWay.push(...(await unconvertible(session, found, there, words.conversions)))
    present.set(found.table.name, named.after)
  }
  refuseUnconvertible(inTheWay)
  return {
    steps: [...renamed.steps, ...swaps.filter((step) => !step.additive), ...values, ...names],
    last: swaps.filter((step) => step.additive),
    present,
  }
}
