import { whenThere } from '../../maybe.ts'
import { ident } from '../../plan/dialect.ts'
import { answerColumns, completeAnswer, insertKey, keyTable } from '../../plan/keys.ts'
import type { Store } from '../../store/store.ts'
import type { Keys } from './keys.ts'

/** Keys in a table whose index keeps them apart: whoever inserts one that another transaction has inserted waits for that. */
export function indexedKeys(store: Store): Keys {
  const { dialect } = store
  const table = ident(keyTable)
  const account = dialect.param(1, 'id')
  const where = `"account_id" = ${account} AND "key" = ${dialect.param(2, 'string')}`
  const find = `SELECT ${answerColumns} FROM ${table} WHERE ${where}`
  const claim = `${insertKey(account, (index, kind) => dialect.param(index + 2, kind))} RETURNING 1`
  const complete = `UPDATE ${table} ${completeAnswer((index, kind) => dialect.param(index + 3, kind))} WHERE ${where} RETURNING 1`
  const forget = `DELETE FROM ${table} WHERE ${where} AND "expires_at" <= ${dialect.param(3, 'integer')}`
  return {
    async prepare() {},
    find: (owner, key) => store.first(find, [owner, key]),
    claim: (tx, owner, values) =>
      whenThere(tx.first(claim, [owner, ...values]), (row) => (row ? [owner, values[0] ?? null] : null)),
    complete: (tx, claimed, answer) => tx.first(complete, [...claimed, ...answer]),
    forgetExpired: (owner, key, now) => store.writeOne(forget, [owner, key, now]),
    claimBeside: null,
  }
}
