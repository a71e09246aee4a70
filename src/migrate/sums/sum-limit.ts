import { counted } from '../../compile/names/plural.ts'
import { type Session, StoreRefused } from '../../store/store.ts'

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
