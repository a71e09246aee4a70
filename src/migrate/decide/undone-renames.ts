import type { Model } from '../../compile/model.ts'
import { counted } from '../../compile/names/plural.ts'
import { declaredMoves } from '../plan/renames.ts'
import type { Present, PresentTable } from '../present.ts'
import { rowsLacking } from '../rows/rows-lacking.ts'
import type { Reading } from '../rows/scan.ts'
import { type FormerNames, formerNamesOf } from './former-names.ts'

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
    if (there) found.push(...(await columnsOf(reading, model, former, table, there)))
  }
  return found
}

async function columnsOf(
  { session, dialect }: Reading,
  model: Model,
  former: FormerNames,
  table: string,
  there: PresentTable,
): Promise<readonly string[]> {
  const fields = [...model.stored.values()].find((one) => one.table === table)?.fields ?? []
  const declared = new Set(fields.map(({ column }) => column))
  const formerOf = (column: string) => former.columns.get(`${table}.${column}`)
  const moves = declaredMoves(declared, formerOf, there.columns.keys())
  const found = moves.map(({ from, to }) => `${table}.${to} was ${from}`)
  const moved = new Set(moves.flatMap(({ from, to }) => [from, to]))
  for (const column of declared) {
    const was = formerOf(column)
    const now = there.columns.get(column)
    // A name that something else has taken up is not left over.
    if (was === undefined || !now || moved.has(column) || moved.has(was)) continue
    if (declared.has(was) || !there.columns.has(was)) continue
    const rows = await rowsLacking(session, dialect, there.name, was, now)
    const have = rows === 1 ? 'has' : 'have'
    if (rows > 0)
      found.push(
        `${table}.${column} was ${was}, and ${counted(rows, 'row')} ${have} a value in ${was} and none in ${column}`,
      )
  }
  return found
}
