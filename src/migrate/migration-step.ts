import type { Model } from '../compile/model.ts'
import { metaTable } from '../store/meta.ts'
import type { Value } from '../store/store.ts'
import type { TableChange } from './plan/table-change.ts'
import type { SumLimit } from './sums/sum-limit.ts'
import type { Column } from './wanted/table.ts'

/** One change of the store. A step that is neither additive nor stops older processes is refused: it has no SQL. */
export interface Step {
  readonly table: string
  readonly sql: string
  /** Bound to its one statement, where rows have values of their own. */
  readonly params?: readonly Value[]
  /** Events, endpoints and keys follow these changes, by statements that are made of what they hold. */
  readonly rewrites?: { readonly model: Model; readonly changes: readonly TableChange[] }
  /** Runs before it, in the same transaction: keeps others from writing the rows that it reads. */
  readonly lock?: string
  /** What the rows are checked for before it runs, under that lock. */
  readonly limit?: SumLimit
  readonly additive: boolean
  /** `orders.currency is new` */
  readonly why: string
  /** Only what the store knows of itself changes: people are not told, but where they run the SQL. */
  readonly records?: true
  /** Others read and write the table meanwhile, though all its rows are read. */
  readonly online?: true
  /** What others wait for meanwhile, and how long, in a sentence. A plan says it of each of its steps. */
  readonly locks?: string
  /** Shares no transaction with other steps, because it cannot run in one, or takes long. */
  readonly alone?: boolean
  /** The columns whose values no two rows may share from then on. */
  readonly unique?: readonly Column[]
  /** Concerns a table that this migration creates, which nobody uses yet. */
  readonly ofNewTable?: boolean
  /** Processes of older declarations fail after it: it is done by `nounkit migrate` alone, while none serves. */
  readonly stops?: boolean
  /** Values get another type by it. */
  readonly converts?: true
  /** Computes a sum that is new, or adds up something else. */
  readonly sum?: 'new' | 'other'
}

/** Why additions do not suffice. What the store's own record says by then is no concern of people. */
export const whysOf = (steps: readonly Step[]): readonly string[] =>
  steps.filter((step) => !step.additive && step.table !== metaTable).map(({ why }) => why)
