import type { Model, Resource } from '../../compile/model.ts'
import { kinds } from '../../kinds/kinds.ts'
import type { FormerNames } from '../decide/former-names.ts'
import type { Loss } from '../decide/loss.ts'
import type { Decisions } from '../decide/questions-to-people.ts'
import type { Step } from '../migration-step.ts'
import type { PresentTable } from '../present.ts'
import type { ColumnShape, StoredShape } from '../record/shape.ts'
import type { Reading } from '../rows/scan.ts'
import type { Table } from '../wanted/table.ts'

/** All that a plan is made from, and what is found on the way. */
export interface Planning extends Reading {
  readonly model: Model
  /** The tables of resources. */
  readonly wanted: readonly Table[]
  readonly present: ReadonlyMap<string, PresentTable>
  readonly shape: StoredShape | null
  readonly former: FormerNames
  readonly decisions: Decisions
  /** The steps that would make the found table fit the wanted one. */
  readonly differences: (table: Table, found: PresentTable) => readonly Step[]
  readonly notes: string[]
  readonly losses: Loss[]
  readonly refusals: string[]
}

export const resourceOf = ({ model }: Planning, table: string): Resource => resourceWith(model, table)

export const resourceWith = (model: Model, table: string): Resource => {
  const found = [...model.stored.values()].find((one) => one.table === table)
  if (!found) throw new Error(`There is no resource with the table ${table}`)
  return found
}

/** What a column is known to hold; null where it is not the engine's, or has got another type. */
export function storedShape(planning: Planning, table: PresentTable, column: string): ColumnShape | null {
  const known = planning.shape?.[table.name]?.[column]
  const type = known && kinds[known.kind][planning.dialect.name].type.toLowerCase()
  return known && table.columns.get(column)?.type === type ? known : null
}
