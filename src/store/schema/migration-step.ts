/** One thing to do to the store. What is not additive is never done unasked: it is shown. */
export interface Step {
  readonly table: string
  readonly sql: string
  /** The SQL for somebody who runs it by hand, where it takes more there. */
  readonly byHand?: string
  /** What the database's shell is to be told first, where somebody runs the SQL by hand. */
  readonly shell?: string
  readonly additive: boolean
  /** `orders.currency is new` */
  readonly why: string
  /** Cannot run inside a transaction, or must not hold others up: it runs by itself. */
  readonly alone?: boolean
  /** The change lists say that this is what became of a name, value or type: done when renames are asked for. */
  readonly rename?: boolean
  /** Names that are gone after it, `orders`, `orders.note` or `orders.status=open`, and the name that each became. */
  readonly became?: readonly (readonly [from: string, to: string])[]
}
