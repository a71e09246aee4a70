import type { Act } from '../compile/service/acts.ts'

/** What an operator did that is no write of a row. Writes are recorded with the rows. */
export interface OperatorAct {
  readonly operator: string
  readonly act: Act
  /** The request's. */
  readonly requestId: string
}

/** The one place through which the console tells what operators do. */
export type RecordAct = (act: OperatorAct) => Promise<void>
