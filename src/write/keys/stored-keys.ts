import type { FieldKind } from '../../kinds/kinds.ts'
import { type Maybe, whenThere } from '../../maybe.ts'
import { ident } from '../../plan/dialect.ts'
import {
  answerClaim,
  answerColumns,
  completeAnswer,
  insertKey,
  insertNewKey,
  keyTable,
} from '../../plan/keys.ts'
import type { Row, Store, Transaction, Value, Write } from '../../store/store.ts'

/** The statements on the table of Idempotency-Keys. `values` are those of a key's row, the key first. */
export interface StoredKeys {
  /** What is stored under a key (`answerColumns`), expired or not. */
  find(account: string, key: string): Maybe<Row | undefined>
  /**
   * Inserts the key in this transaction; false when it exists. The table's primary key, account and key, keeps two requests
   * apart: on PostgreSQL an insert of a key that another open transaction has inserted waits until that one ends.
   */
  claim(tx: Transaction, account: string, values: readonly Value[]): Maybe<boolean>
  /** The same for `writeClaimed`: a statement that writes no row when the key exists, or fails, as the dialect's `insertsAlong` says. */
  claimWrite(account: string, values: readonly Value[]): Write
  /** Deletes a key that a transaction has claimed and not committed. */
  releaseWrite(account: string, key: Value): Write
  /** Stores the answer of a claimed key: body, entity tag, when it was completed and when it expires. */
  complete(tx: Transaction, account: string, key: string, answer: readonly Value[]): Maybe<unknown>
  /**
   * Claims a key, as a transaction of its own, for code that runs outside of any: `values` as for `claim`, with a text that only this claim
   * has in place of the row's id. False when the key exists.
   */
  claimAhead(account: string, values: readonly Value[]): Promise<boolean>
  /** Stores the answer of such a claim, unless it has lapsed and is another's: location, the row's id, and what `complete` stores. */
  answerAhead(account: string, key: string, claim: string, answer: readonly Value[]): Promise<unknown>
  /** The same as a part of a transaction; false where the claim is another's. */
  answerIn(
    tx: Transaction,
    account: string,
    key: string,
    claim: string,
    answer: readonly Value[],
  ): Maybe<boolean>
  /** Frees the key of such a claim. */
  releaseAhead(account: string, key: string, claim: string): Promise<unknown>
  /** Deletes a key that has expired by then. */
  forgetExpired(account: string, key: string, now: number): Promise<unknown>
}

export function storedKeys(store: Store): StoredKeys {
  const { dialect } = store
  const table = ident(keyTable)
  const account = dialect.param(1, 'id')
  const where = `"account_id" = ${account} AND "key" = ${dialect.param(2, 'string')}`
  const find = `SELECT ${answerColumns} FROM ${table} WHERE ${where}`
  const bind = (index: number, kind: FieldKind): string => dialect.param(index + 2, kind)
  const claimAndTell = `${insertKey(account, bind)} RETURNING 1`
  const claimFirst = dialect.insertsAlong === 'together' ? insertNewKey : insertKey
  const claim = claimFirst(account, bind)
  const release = `DELETE FROM ${table} WHERE ${where}`
  const complete = `UPDATE ${table} ${completeAnswer((index, kind) => dialect.param(index + 3, kind))} WHERE ${where}`
  const claimAhead = insertKey(account, bind)
  const isClaim = `"row_id" = ${dialect.param(3, 'string')}`
  const answerAhead = `UPDATE ${table} ${answerClaim((index, kind) => dialect.param(index + 4, kind))} WHERE ${where} AND ${isClaim}`
  const releaseAhead = `${release} AND ${isClaim}`
  const forget = `${release} AND "expires_at" <= ${dialect.param(3, 'integer')}`
  return {
    find: (owner, key) => store.first(find, [owner, key], owner),
    claim: (tx, owner, values) =>
      whenThere(tx.first(claimAndTell, [owner, ...values]), (inserted) => inserted !== undefined),
    claimWrite: (owner, values) => ({ sql: claim, values: [owner, ...values] }),
    releaseWrite: (owner, key) => ({ sql: release, values: [owner, key] }),
    complete: (tx, owner, key, answer) => tx.first(complete, [owner, key, ...answer]),
    claimAhead: async (owner, values) => (await store.writeOne(claimAhead, [owner, ...values], owner)) > 0,
    answerAhead: (owner, key, claim, answer) =>
      store.writeOne(answerAhead, [owner, key, claim, ...answer], owner),
    answerIn: (tx, owner, key, claim, answer) =>
      whenThere(
        tx.first(`${answerAhead} RETURNING 1`, [owner, key, claim, ...answer]),
        (stored) => stored !== undefined,
      ),
    releaseAhead: (owner, key, claim) => store.writeOne(releaseAhead, [owner, key, claim], owner),
    forgetExpired: (owner, key, now) => store.writeOne(forget, [owner, key, now], owner),
  }
}
