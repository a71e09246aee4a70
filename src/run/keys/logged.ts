import { type Maybe, whenThere } from '../../maybe.ts'
import { type KeyLog, keyLog } from '../../plan/key-log.ts'
import type { PromptTransaction, Row, Store, Transaction, Value } from '../../store/store.ts'
import { keyNumber } from './key-number.ts'
import type { Keys } from './keys.ts'
import { RecentKeys } from './recent.ts'

/** So many that most pages of the names get several of them, and so few that entering them takes no longer than a long commit. */
const recentMost = 8_192

type Reads = Pick<Transaction, 'first' | 'all'>

/**
 * Keys as a log, for a store with one writer at a time. To enter each key into an index is to change a page for each, because
 * keys lie all over it, and whole pages are written. So a key is put at the end of the log, and the names of many are entered
 * together. Until then everybody knows them by heart: whoever has the lock first reads what others have put there since.
 *
 * Four rules make that safe. Places only grow. A row after the mark in the store is not among the names, and all others are.
 * Only those others are ever removed. And what is known of a row counts for nothing until the row itself has been looked at, so that
 * it does no harm if its transaction was undone.
 */
export function loggedKeys(store: Store, selfUndoing: NonNullable<Store['selfUndoing']>): Keys {
  const sql = keyLog(store.dialect)
  const recent = new RecentKeys()
  /** Of all rows up to here, those that are not among the names are known; none of them is yet to be committed. */
  let seen = 0
  let next = 1
  let turn = -1
  let entering = false

  const readOn = (from: Reads): Maybe<void> =>
    whenThere(from.first(sql.entered, []), (row) => {
      seen = Math.max(seen, Number(row?.[0] ?? 0))
      return whenThere(from.all(sql.since, [seen]), note)
    })

  const note = (rows: readonly Row[]): void => {
    for (const [place, key] of rows) {
      recent.add(keyNumber(String(key)), Number(place))
      seen = Math.max(seen, Number(place))
    }
  }

  /** Once each time the lock is taken, before this process has written anything that may be undone. */
  const beginTurn = (tx: PromptTransaction): void => {
    readOn(tx)
    turn = tx.turn
    next = Math.max(next, seen + 1)
    if (recent.size >= recentMost && !entering) void enter()
  }

  const enter = async (): Promise<void> => {
    entering = true
    try {
      recent.forgetUpTo(await selfUndoing((tx) => enterKeys(tx, sql)))
    } catch {
      // The store is away or full: they are as safe where they are, and the next turn tries again.
    } finally {
      entering = false
    }
  }

  const isRecent = (tx: PromptTransaction, account: string, key: string, number: number): boolean => {
    for (const place of recent.placesOf(number)) {
      const [owner, name] = tx.first(sql.whose, [place]) ?? []
      if (owner === account && name === key) return true
      // Undone or removed: what comes there, if anything ever does, is read then.
      if (name === undefined) recent.remove(number, place)
    }
    return false
  }

  const append = (tx: PromptTransaction, account: string, values: readonly Value[]): number | null => {
    if (tx.turn !== turn) beginTurn(tx)
    const key = String(values[0])
    const number = keyNumber(key)
    if (isRecent(tx, account, key, number)) return null
    const place = next++
    if (tx.write(sql.append, [place, account, ...values]) === 0) return null
    recent.add(number, place)
    return place
  }

  return {
    async find(account, key) {
      await readOn(store)
      for (const place of recent.placesOf(keyNumber(key))) {
        const row = await store.first(sql.at, [place, account, key])
        if (row) return row
      }
      return store.first(sql.named, [account, key])
    },
    claim(tx, account, values) {
      const place = append(prompt(tx), account, values)
      return place === null ? null : [place]
    },
    complete: (tx, claimed, answer) => prompt(tx).write(sql.complete, [...claimed, ...answer]),
    forgetExpired: (account, key, now) =>
      selfUndoing((tx) => {
        enterKeys(tx, sql)
        const [place] = tx.first(sql.expired, [account, key, now]) ?? []
        if (place !== undefined) removeKey(tx, sql, Number(place), account, key)
      }),
    async claimBeside(account, values, insert) {
      const place = await selfUndoing((tx) => {
        const row = values()
        const claimed = append(tx, account, row)
        if (claimed === null) return null
        try {
          insert(tx)
        } catch (error) {
          tx.write(sql.remove, [claimed])
          recent.remove(keyNumber(String(row[0])), claimed)
          throw error
        }
        return claimed
      })
      // Those before it were known, or written by this process: so they need not be read.
      seen = Math.max(seen, place ?? 0)
      return place !== null
    },
  }
}

/** Up to which place keys are among the names now. Half done it does no harm: a name may be there before the mark says so. */
export function enterKeys(tx: PromptTransaction, sql: KeyLog): number {
  const entered = Number(tx.first(sql.entered, [])?.[0] ?? 0)
  const last = Number(tx.first(sql.last, [])?.[0] ?? 0)
  if (last <= entered) return entered
  tx.write(sql.enter, [entered])
  tx.write(sql.setEntered, [String(last)])
  return last
}

/** Of a key that is among the names. The name goes first: without its row it would keep the key from everybody. */
export function removeKey(
  tx: PromptTransaction,
  sql: KeyLog,
  place: number,
  account: string,
  key: string,
): void {
  tx.write(sql.unname, [account, key, place])
  tx.write(sql.remove, [place])
}

/** Of a transaction of such a store. */
export function prompt({ prompt: prompts }: Transaction): PromptTransaction {
  if (!prompts) throw new Error('Keys are kept as a log only by a store that answers at once')
  return prompts
}
