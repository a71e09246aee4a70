import type { Model } from '../../compile/model.ts'
import { resourceWith } from '../plan/planning.ts'
import { declaredMoves } from '../plan/renames.ts'
import type { Present } from '../present.ts'
import type { Reading } from '../rows/scan.ts'
import { declaredColumnMoves, formerNamesOf } from './former-names.ts'

/**
 * The renames that a declaration says with `was` and that the store has not followed, a sentence each without its full stop. As
 * additions, the new names would be empty beside the old ones.
 */
export async function undoneRenames(
  reading: Reading,
  model: Model,
  present: Present,
): Promise<readonly string[]> {
  const former = formerNamesOf(model)
  const tables = [...model.stored.values()].map(({ table }) => table)
  const moves = declaredMoves(tables, (table) => former.tables.get(table), present.keys())
  const found = moves.map(({ from, to }) => `${to} was ${from}`)
  for (const table of tables) {
    const there = present.get(moves.find(({ to }) => to === table)?.from ?? table)
    if (!there) continue
    const names = new Set(resourceWith(model, table).fields.map(({ column }) => column))
    for (const { from, to } of await declaredColumnMoves(reading, former, { table, names }, there))
      found.push(`${table}.${to} was ${from}`)
  }
  return found
}
