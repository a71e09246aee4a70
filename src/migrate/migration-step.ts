import type { SumLimit } from './sums/sum-limit.ts'
import type { Column } from './wanted/table.ts'

/** One change of the store. A step that is not additive is only shown, unless it is a rename that was asked for. */
export interface Step {
  readonly table: string
  readonly sql: string
  /** Runs before it, in the same transaction: keeps others from writing the rows that it reads. */
  readonly lock?: string
  /** What the rows are checked for before it runs, under that lock. */
  readonly limit?: SumLimit
  /** The SQL to run by hand, where that differs. */
  readonly byHand?: string
  /** A command of the database's shell to run before the SQL by hand. */
  readonly shell?: string
  readonly additive: boolean
  /** `orders.currency is new` */
  readonly why: string
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
  /** Computes a sum that is new, or adds up something else; `unsure` where the store does not say what it added up. */
  readonly sum?: 'new' | 'other' | 'unsure'
}

/** Why a step is needed, without a remark such as `(put a value in place of …)`, which is for those who read the SQL. */
export const whyOf = ({ why }: Step): string => why.replace(/ \(put [^)]*\)$/, '')

/** Why additions do not suffice. */
export const whysOf = (steps: readonly Step[]): readonly string[] =>
  steps.filter((step) => !step.additive).map(whyOf)
