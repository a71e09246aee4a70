import type { Maybe } from '../../maybe.ts'
import type { PromptTransaction, Row, Transaction, Value } from '../../store/store.ts'

/** A key that a transaction has got, as the values that its row is found by. */
export type Claim = readonly Value[]

/** Where Idempotency-Keys are kept with their answers. `values` are those of a key's row, the key first. */
export interface Keys {
  /** Called before the first request: there may be work that none should wait for. */
  prepare(): Promise<void>
  /** What is kept under a key (`answerColumns`), expired or not. */
  find(account: string, key: string): Maybe<Row | undefined>
  /** Takes the key for this transaction; null when another has it. A caller in another process waits here. */
  claim(tx: Transaction, account: string, values: readonly Value[]): Maybe<Claim | null>
  /** Binds body, entity tag, when it was completed and when it expires. */
  complete(tx: Transaction, claim: Claim, answer: readonly Value[]): Maybe<unknown>
  /** Makes a key free that has expired by then. */
  forgetExpired(account: string, key: string, now: number): Promise<unknown>
  /** Takes a key and inserts a row, as one transaction; false when another has the key. Null where one statement does it. */
  readonly claimBeside: ClaimBeside | null
}

export type ClaimBeside = (
  account: string,
  values: () => readonly Value[],
  insert: (tx: PromptTransaction) => void,
) => Promise<boolean>
