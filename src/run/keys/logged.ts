import { type KeyLog, keyLog } from '../../plan/key-log.ts'
import type { PromptTransaction, Row, Store, Transaction, Value } from '../../store/store.ts'
import type { Keys } from './keys.ts'
import { PlaceTable } from './place-table.ts'
import { type Recent, RecentKeys, recentOf } from './recent.ts'
import { storedNumber } from './stored-number.ts'

interface Sizes {
  /** So many keys that each page they are entered on gets several, and so few that a process that starts has soon read them. */
  readonly recent: number
  /** So few that nobody waits long while they are entered. */
  readonly slice: number
}

const usual: Sizes = { recent: 16_384, slice: 1_024 }

/** Whose a place was to be. */
interface Claimed {
  readonly number: number
  readonly account: string
  readonly key: string
}

/**
 * Keys as a log, for a store with one writer at a time. To enter each key into an index is to change a page for each, because
 * keys lie all over it, and whole pages are written. So a key is put at the end of the log, and the places of many are entered
 * together. Until then everybody knows them by heart: whoever has the lock first reads what others have put there since.
 *
 * Three rules make that safe. A place is used once. A row after the mark in the store may not have been entered, and all others
 * have. And what is known or entered of a row counts for nothing until the row itself has been looked at, so that it does no
 * harm if that was undone or removed.
 */
export function loggedKeys(
  store: Store,
  selfUndoing: NonNullable<Store['selfUndoing']>,
  sizes = usual,
): Keys {
  const sql = keyLog(store.dialect)
  const recent = new RecentKeys()
  /** All rows up to here that have not been entered are known, and none of them is yet to be committed. */
  let seen = 0
  let next = 1
  let turn = -1
  let entering = false
  let forgotten = 0
  /** Places of this process that may yet be undone, or have been. */
  const unsure = new Map<number, Claimed>()

  const note = (rows: readonly Row[]): void => {
    for (const [number, place] of rows.map(recentOf)) {
      recent.add(number, place)
      seen = Math.max(seen, place)
    }
  }

  /** What others have entered need not be known. */
  const forget = (entered: number): void => {
    if (recent.size < sizes.recent || entered <= forgotten) return
    recent.setApart()
    recent.forgetUpTo(entered)
    forgotten = entered
  }

  /**
   * Once each time the lock is taken, before this process has put a key anywhere that may be undone. Keys may have been removed
   * before it, which counts for nothing if that is undone: they had expired.
   */
  const beginTurn = (tx: PromptTransaction): void => {
    if (tx.turn === turn) return
    const entered = placeIn(tx.first(sql.entered, []))
    seen = Math.max(seen, entered)
    note(tx.all(sql.since, [seen]))
    turn = tx.turn
    for (const [place, { number, account, key }] of unsure)
      if (!isTheirs(tx, place, account, key)) recent.remove(number, place)
    unsure.clear()
    next = Math.max(next, seen + 1, placeIn(tx.first(sql.used, [])) + 1)
    forget(entered)
    if (seen - entered >= sizes.recent && !entering) void enter(recent.setApart(), entered, seen)
  }

  const enter = async (tables: readonly PlaceTable[], after: number, to: number): Promise<void> => {
    entering = true
    try {
      // Not while the lock is held.
      await null
      for (const table of tables) await enterAll(table, after)
      await markEntered(to)
      recent.forgetUpTo(to)
    } catch {
      // The store is away or full: they are as safe where they are, and the next turn tries again.
    } finally {
      entering = false
    }
  }

  /** In the order of their numbers, so that those of one page come together. Others may have entered some of them meanwhile. */
  const enterAll = async (table: PlaceTable, after: number): Promise<void> => {
    const numbers = table.numbers()
    for (let at = 0; at < numbers.length; at += sizes.slice)
      await selfUndoing((tx) => {
        const used = placeIn(tx.first(sql.used, []))
        for (const number of numbers.subarray(at, at + sizes.slice))
          for (const place of table.placesOf(number))
            if (place > after) tx.write(place > used ? sql.enter : sql.enterIfThere, [number, place])
      })
  }

  const markEntered = (to: number): Promise<void> =>
    selfUndoing((tx) => {
      if (placeIn(tx.first(sql.entered, [])) < to) tx.write(sql.setEntered, [String(to)])
    })

  const isTheirs = (tx: PromptTransaction, place: Value | undefined, account: string, key: string) => {
    const [owner, name] = tx.first(sql.whose, [place ?? null]) ?? []
    return name === undefined ? null : owner === account && name === key
  }

  const isRecent = (tx: PromptTransaction, account: string, key: string, number: number): boolean => {
    for (const place of recent.placesOf(number)) {
      const theirs = isTheirs(tx, place, account, key)
      if (theirs) return true
      // Undone or removed: what comes there, if anything ever does, is read then.
      if (theirs === null) recent.remove(number, place)
    }
    return false
  }

  /** Looked up apart, and not by the statement that inserts: one that reads the table it writes gathers what it writes first. */
  const isEntered = (tx: PromptTransaction, account: string, key: string, number: number): boolean =>
    tx.first(sql.places, [number]) !== undefined &&
    tx.all(sql.places, [number]).some(([place]) => isTheirs(tx, place, account, key))

  const append = (tx: PromptTransaction, account: string, values: readonly Value[]): number | null => {
    beginTurn(tx)
    const key = String(values[0])
    const number = storedNumber(account, key)
    if (isRecent(tx, account, key, number) || isEntered(tx, account, key, number)) return null
    const place = next++
    tx.write(sql.append, [place, account, ...values])
    recent.add(number, place)
    unsure.set(place, { number, account, key })
    return place
  }

  return {
    /** A file that had no log may have far more to enter than anybody should read while others wait. */
    async prepare() {
      for (;;) {
        const entered = placeIn(await store.first(sql.entered, []))
        if (placeIn(await store.first(sql.last, [])) - entered < sizes.recent) return
        const table = new PlaceTable()
        for (const row of await store.all(sql.following, [entered, sizes.recent])) table.add(...recentOf(row))
        if (table.size === 0) return
        await enterAll(table, entered)
        await markEntered(table.last)
      }
    },
    async find(account, key) {
      const entered = placeIn(await store.first(sql.entered, []))
      seen = Math.max(seen, entered)
      note(await store.all(sql.since, [seen]))
      forget(entered)
      const number = storedNumber(account, key)
      for (const place of recent.placesOf(number)) {
        const row = await store.first(sql.at, [place, account, key])
        if (row) return row
      }
      return store.first(sql.numbered, [number, account, key])
    },
    claim(tx, account, values) {
      const place = append(prompt(tx), account, values)
      return place === null ? null : [place]
    },
    complete: (tx, claimed, answer) => prompt(tx).write(sql.complete, [...claimed, ...answer]),
    forgetExpired: (account, key, now) =>
      selfUndoing((tx) => {
        beginTurn(tx)
        const number = storedNumber(account, key)
        const [place] =
          recent
            .placesOf(number)
            .map((one) => tx.first(sql.expiredAt, [one, account, key, now]))
            .find((row) => row) ??
          tx.first(sql.expired, [number, account, key, now]) ??
          []
        if (place !== undefined) removeKeys(tx, sql, [[number, Number(place)]])
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
          recent.remove(storedNumber(account, String(row[0])), claimed)
          unsure.delete(claimed)
          throw error
        }
        return claimed
      })
      // Those before it were known, or written by this process: so they need not be read.
      seen = Math.max(seen, place ?? 0)
      if (place !== null) unsure.delete(place)
      return place !== null
    },
  }
}

/** A mark is kept as text; there is none at first. */
const placeIn = (row: Row | undefined): number => Number(row?.[0] ?? 0)

/**
 * Removes rows, entered or not. The last place is noted, because whoever comes later would use it again if it was among them,
 * and those who know of it already would not look there. Half done it does no harm.
 */
export function removeKeys(tx: PromptTransaction, sql: KeyLog, keys: readonly Recent[]): void {
  tx.write(sql.setUsed, [String(Math.max(placeIn(tx.first(sql.last, [])), placeIn(tx.first(sql.used, []))))])
  for (const [number, place] of keys) {
    tx.write(sql.remove, [place])
    tx.write(sql.withdraw, [number, place])
  }
}

/** Of a transaction of such a store. */
export function prompt({ prompt: prompts }: Transaction): PromptTransaction {
  if (!prompts) throw new Error('Keys are kept as a log only by a store that answers at once')
  return prompts
}
