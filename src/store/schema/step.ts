/** One thing to do to the store. What is not additive is never done by us: it is shown. */
export interface Step {
  readonly table: string
  readonly sql: string
  readonly additive: boolean
  /** `orders.currency is new` */
  readonly why: string
  /** Cannot run inside a transaction, or must not hold others up: it runs by itself. */
  readonly alone?: boolean
}
