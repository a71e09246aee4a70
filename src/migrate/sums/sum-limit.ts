import { counted } from '../../compile/names/plural.ts'
import { metaTable } from '../../store/meta.ts'
import { type Session, StoreRefused } from '../../store/store.ts'
import type { PresentTable } from '../present.ts'

/** The largest sum that the service can keep and give exactly, the same as for requests. */
export interface SumLimit {
  /** `orders.total is the sum of price * pieces of lines` */
  readonly why: string
  /** The resource with the sum. */
  readonly on: string
  /** The resource whose rows are added up, and the columns of its table that are read for that. */
  readonly source: string
  readonly table: string
  readonly columns: readonly string[]
  readonly largest: string
  /** Selects how many rows have a sum beyond it, and the id of one. */
  readonly beyond: string
}

/** Whether all that is added up is in the store already, so that the sum can be checked before other steps run. */
const canBeChecked = ({ table, columns }: SumLimit, present: ReadonlyMap<string, PresentTable>): boolean =>
  columns.every((column) => present.get(table)?.columns.has(column))

/** Throws if a sum of these steps is too large, as far as that can be told before any of them runs. */
export async function refuseSumsBeyond(
  session: Pick<Session, 'all'>,
  steps: readonly { readonly table: string; readonly additive: boolean; readonly limit?: SumLimit }[],
  present: ReadonlyMap<string, PresentTable>,
): Promise<void> {
  // A rename or conversion may give one of the columns another meaning.
  if (!steps.every(({ additive, table }) => additive || table === metaTable)) return
  for (const { limit } of steps)
    if (limit && canBeChecked(limit, present)) await refuseBeyond(session, limit, 'Nothing was changed.')
}

/** Throws if a sum cannot be computed or kept exactly. `fate` says what becomes of the migration. */
export async function refuseBeyond(
  session: Pick<Session, 'all'>,
  { why, on, source, largest, beyond }: SumLimit,
  fate: string,
): Promise<void> {
  const [found] = await session.all(beyond)
  const count = Number(found?.[0])
  if (count === 0) return
  throw new StoreRefused(
    `${why}, and would be too large (beyond ${largest}) in ${counted(count, 'row')} of ${on}, such as the one with the id ${found?.[1]}. ${fate} Change or delete some of the rows of ${source} that it adds up, or take the sum out of the declaration.`,
  )
}
