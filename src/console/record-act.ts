import type { JsonObject } from '../compile/schemas/canonical.ts'
import type { Act } from '../compile/service/acts.ts'

/** What an operator did that is no write of a row. Writes are recorded with the rows. */
export interface OperatorAct {
  readonly operator: string
  readonly act: Act
  /** The request's. */
  readonly requestId: string
  /** Whose account it belongs to; of the whole store unless said. */
  readonly account?: string
  /** What it was done to. Never a secret. */
  readonly detail?: JsonObject
}

/** The one place through which the console tells what operators do. */
export type RecordAct = (act: OperatorAct) => Promise<void>
