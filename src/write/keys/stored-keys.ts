import type { FieldKind } from '../../kinds/kinds.ts'
import { type Maybe, whenThere } from '../../maybe.ts'
import { type Dialect, ident } from '../../plan/dialect.ts'
import {
  answerClaim,
  answerColumns,
  completeAnswer,
  insertKey,
  insertNewKey,
  keyTable,
} from '../../plan/keys.ts'
import { type RowStatement, rowStatement } from '../../plan/row-statements.ts'
import { Binds } from '../../plan/statement.ts'
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

/** SQL from the parameter of the account, and those of the values. */
type WriteSql = (account: string, value: (index: number, kind?: FieldKind) => string) => string

/** Made once: they are a part of every create under a key. The first value is the key, except where a whole row is given. */
function storedKeyStatements(dialect: Dialect) {
  const made = (write: WriteSql): RowStatement => {
    const binds = new Binds(dialect)
    const account = binds.use('account', 'id')
    return rowStatement(
      write(account, (index, kind = 'string') => binds.use(index, kind)),
      binds,
    )
  }
  const table = ident(keyTable)
  const claimFirst = dialect.insertsAlong === 'together' ? insertNewKey : insertKey
  const release: WriteSql = (account, value) => `DELETE FROM ${table} WHERE ${isKey(account, value)}`
  const isKey: WriteSql = (account, value) => `"account_id" = ${account} AND "key" = ${value(0)}`
  const isClaim: WriteSql = (account, value) => `${isKey(account, value)} AND "row_id" = ${value(1)}`
  const answer: WriteSql = (account, value) =>
    `UPDATE ${table} ${answerClaim((index, kind) => value(index + 2, kind))} WHERE ${isClaim(account, value)}`
  return {
    find: made((account, value) => `SELECT ${answerColumns} FROM ${table} WHERE ${isKey(account, value)}`),
    claim: made(claimFirst),
    claimAhead: made(insertKey),
    claimAndTell: made((account, value) => `${insertKey(account, value)} RETURNING 1`),
    release: made(release),
    complete: made(
      (account, value) =>
        `UPDATE ${table} ${completeAnswer((index, kind) => value(index + 1, kind))} WHERE ${isKey(account, value)}`,
    ),
    answerAhead: made(answer),
    answerAndTell: made((account, value) => `${answer(account, value)} RETURNING 1`),
    releaseAhead: made((account, value) => `DELETE FROM ${table} WHERE ${isClaim(account, value)}`),
    forget: made((account, value) => `${release(account, value)} AND "expires_at" <= ${value(1, 'integer')}`),
  }
}

export function storedKeys(store: Store): StoredKeys {
  const sql = storedKeyStatements(store.dialect)
  const alone = ({ text, bind }: RowStatement, account: string, values: readonly Value[]): Promise<number> =>
    store.writeOne(text, bind({ account, values }), account)
  const within = (tx: Transaction, { text, bind }: RowStatement, account: string, values: readonly Value[]) =>
    tx.first(text, bind({ account, values }))
  const write = ({ text, bind }: RowStatement, account: string, values: readonly Value[]): Write => ({
    sql: text,
    values: bind({ account, values }),
  })
  return {
    find: (account, key) => store.first(sql.find.text, sql.find.bind({ account, values: [key] }), account),
    claim: (tx, account, values) =>
      whenThere(within(tx, sql.claimAndTell, account, values), (inserted) => inserted !== undefined),
    claimWrite: (account, values) => write(sql.claim, account, values),
    releaseWrite: (account, key) => write(sql.release, account, [key]),
    complete: (tx, account, key, answer) => within(tx, sql.complete, account, [key, ...answer]),
    claimAhead: async (account, values) => (await alone(sql.claimAhead, account, values)) > 0,
    answerAhead: (account, key, claim, answer) => alone(sql.answerAhead, account, [key, claim, ...answer]),
    answerIn: (tx, account, key, claim, answer) =>
      whenThere(
        within(tx, sql.answerAndTell, account, [key, claim, ...answer]),
        (stored) => stored !== undefined,
      ),
    releaseAhead: (account, key, claim) => alone(sql.releaseAhead, account, [key, claim]),
    forgetExpired: (account, key, now) => alone(sql.forget, account, [key, now]),
  }
}
