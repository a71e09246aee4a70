import type { StoredRow } from '../call/stored-row.ts'
import type { BelongsToModel, Resource } from '../compile/model.ts'
import { goesAlong } from '../compile/resources/dependents.ts'
import { namingAtFirst } from '../plan/row-statements.ts'
import type { Row, Transaction, Value } from '../store/store.ts'
import type { DeletedAlong } from './row-change.ts'
import { RowMap } from './row-map.ts'
import type { RowsInHand } from './rows-in-hand.ts'
import type { Writer } from './writer.ts'

/** More rows, or longer ones, would go along than one transaction may hold in memory. */
export class TooManyAlong extends Error {
  /** The resource whose rows exceed the limit. */
  readonly resource: Resource
  readonly most: number

  constructor(resource: Resource, most: number) {
    super(
      `More rows of ${resource.name} would be deleted along than one delete may take: ${most} rows (limits.cascadeRows), and ${mostBytes} bytes.`,
    )
    this.resource = resource
    this.most = most
  }
}

/** The largest JSON of all rows that are deleted along with one row. */
const mostBytes = 64 * 1_048_576

interface Open {
  readonly tx: Transaction
  readonly account: string
}

/**
 * Locks the rows that are deleted along with a row: those that name it through a cascading relation, and those that name them. They are all
 * in memory until the transaction ends, because sums and events follow from them, so there is a bound.
 */
export async function lockDeletedAlong(
  writer: Writer,
  { tx, account }: Open,
  rows: RowsInHand,
  of: { readonly resource: Resource; readonly id: string },
): Promise<readonly DeletedAlong[]> {
  const most = writer.model.limits.cascadeRows
  const along: DeletedAlong[] = []
  const seen = new RowMap<true>()
  seen.set(of.resource, of.id, true)
  let bytes = 0

  const read = (statement: ReturnType<Writer['planner']['lockNaming']>, values: Value[]) =>
    tx.all(statement.text, statement.bind({ account, values }))

  const refuseTooMany = (resource: Resource, more: number, moreBytes: number): void => {
    if (along.length + more > most || bytes + moreBytes > mostBytes) throw new TooManyAlong(resource, most)
  }

  const lockNaming = async (
    { source, field }: BelongsToModel,
    ids: readonly string[],
  ): Promise<readonly StoredRow[]> => {
    const { planner } = writer
    const named = JSON.stringify(ids)
    const locked = (found: readonly Row[]): StoredRow[] => {
      for (const [json] of found) bytes += String(json).length
      return found.map((row) => rows.locked(source, row, 'to-delete').row)
    }
    const first = locked(await read(planner.lockNaming(source, field, 'first'), [named]))
    const last = first.at(-1)
    if (!last || first.length < namingAtFirst) return first
    const after = [named, String(last.id)]
    const [measured] = await read(planner.measureNaming(source, field, most), after)
    refuseTooMany(source, first.length + Number(measured?.[0]), Number(measured?.[1]))
    return [...first, ...locked(await read(planner.lockNaming(source, field, 'rest'), after))]
  }

  const levels = [{ resource: of.resource, ids: [of.id] }]
  for (const level of levels) {
    for (const dependent of level.resource.dependents) {
      const { relation } = dependent
      const { source } = relation
      // Nothing follows from the engine's own rows, of which there may be very many: the database alone deletes them.
      if (!goesAlong(dependent) || source.engineMade) continue
      const naming = await lockNaming(relation, level.ids)
      const fresh = naming.filter((row) => !seen.get(source, String(row.id)))
      for (const row of fresh) {
        seen.set(source, String(row.id), true)
        along.push({ resource: source, row, restricts: source.restricting.has(relation.field) })
      }
      refuseTooMany(source, 0, 0)
      if (fresh.length > 0) levels.push({ resource: source, ids: fresh.map((row) => String(row.id)) })
    }
  }
  return along
}
