import { type Maybe, whenThere } from '../../maybe.ts'
import { type KeyLog, keyLog } from '../../plan/key-log.ts'
import type { PromptTransaction, Row, Store, Transaction, Value } from '../../store/store.ts'
import { EnteredKeys } from './entered.ts'
import type { Keys } from './keys.ts'
import { RecentKeys, recentOf } from './recent.ts'
import { placesOn, writePages } from './run-pages.ts'
import { storedNumber } from './stored-number.ts'

/** So many that few runs are to be looked at, and so few that a process that starts has soon read them. */
const usualRun = 16_384

/** Whose a place was to be. */
interface Claimed {
  readonly place: number
  readonly number: number
  readonly account: string
  readonly key: string
}

type Reads = Pick<Transaction, 'first' | 'all'>

/**
 * Keys as a log, for a store with one writer at a time. To enter each key into an index is to change a page for each, because
 * keys lie all over it, and whole pages are written. So a key is put at the end of the log, and the places of many are entered
 * together, as a run that is never changed. Until then everybody knows them by heart: whoever has the lock first reads what
 * others have put there since. Of runs one knows enough by heart to look into hardly any.
 *
 * Four rules make that safe. A place is used once. All rows up to the last place of a run are in that or in one before, and are
 * committed before it is. Nobody takes a run for entered in the commit that enters it. And what is known or entered of a row
 * counts for nothing until the row itself has been looked at, so that it does no harm if that was undone or removed.
 */
export function loggedKeys(
  store: Store,
  selfUndoing: NonNullable<Store['selfUndoing']>,
  keysPerRun = usualRun,
): Keys {
  const sql = keyLog(store.dialect)
  const entered = new EnteredKeys(keysPerRun)
  const recent = new RecentKeys()
  /** All rows up to here that have not been entered are known, and none of them is yet to be committed. */
  let seen = 0
  let next = 1
  let turn = -1
  let entering = false
  /** In which a run was written last. */
  let enteringTurn = -1
  /** Of this process, and they may yet be undone, or have been. */
  let unsure: Claimed[] = []
  /** Of this turn, and they are undone only with all of it. */
  let beside: Claimed[] = []

  /** What has been entered since, by whomever. */
  const readRuns = (from: Reads): Maybe<void> =>
    whenThere(from.first(sql.nextRun, [entered.last]), (run) => {
      if (run) return whenThere(readRun(from, placeIn(run)), () => readRuns(from))
    })

  const readRun = (from: Reads, last: number): Maybe<void> =>
    whenThere(from.all(sql.pages, [entered.last, last]), (pages) => {
      // Others may have read it while this one waited.
      if (last <= entered.last) return
      entered.add(
        last,
        pages.map(([page, text]) => ({ page: Number(page), text: String(text) })),
      )
      seen = Math.max(seen, last)
      recent.setApart()
      recent.forgetUpTo(last)
      return whenThere(from.first(sql.firstPage, []), (first) => entered.forgetBefore(placeIn(first)))
    })

  const note = (rows: readonly Row[]): void => {
    for (const [number, place] of rows.map(recentOf)) {
      recent.add(number, place)
      seen = Math.max(seen, place)
    }
  }

  /**
   * Once each time the lock is taken, before this process has put a key anywhere that may be undone. Keys may have been removed
   * before it, which counts for nothing if that is undone: they had expired.
   */
  const beginTurn = (tx: PromptTransaction): void => {
    if (tx.turn === turn) return
    // A run of this turn may be undone with it; until it is read, its keys are as well known as before.
    if (tx.turn !== enteringTurn) readRuns(tx)
    note(tx.all(sql.since, [seen]))
    turn = tx.turn
    for (const { place, number, account, key } of [...unsure, ...beside])
      if (!isTheirs(tx, place, account, key)) recent.remove(number, place)
    unsure = []
    beside = []
    tx.whenCommitted(beSure)
    next = Math.max(next, seen + 1, placeIn(tx.first(sql.used, [])) + 1)
    if (recent.sizeOfNewest >= keysPerRun && !entering) {
      recent.setApart()
      void enter(entered.last, seen)
    }
  }

  /** Those before them were known, or written by this process: so they need not be read. */
  const beSure = (): void => {
    seen = Math.max(seen, beside.at(-1)?.place ?? 0)
    beside = []
  }

  /** Of all rows between these two places it is known that they are there, and no row will come. */
  const enter = async (after: number, to: number): Promise<void> => {
    entering = true
    try {
      // Not while the lock is held.
      await null
      const pairs = recent.apartBetween(after, to)
      const last = pairs.reduce((most, [, place]) => Math.max(most, place), after)
      const pages = writePages(pairs)
      await store.transaction((anyTx) => {
        const tx = prompt(anyTx)
        enteringTurn = tx.turn
        // Another process was quicker.
        if (tx.first(sql.nextRun, [after])) return
        for (const [at, text] of pages.entries())
          tx.write(sql.addPage, [last - pages.length + 1 + at, last, text])
      })
    } catch {
      // The store is away or full: they are as safe where they are, and are entered with the next.
    } finally {
      entering = false
    }
  }

  const isTheirs = (tx: PromptTransaction, place: Value, account: string, key: string): boolean | null => {
    const [owner, name] = tx.first(sql.whose, [place]) ?? []
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

  const placesIn = (page: Row | undefined, number: number): readonly number[] =>
    page ? placesOn(String(page[0]), number) : []

  const enteredPlaces = (tx: PromptTransaction, number: number): readonly number[] =>
    entered.pagesOf(number).flatMap((page) => placesIn(tx.first(sql.page, [page]), number))

  const isEntered = (tx: PromptTransaction, account: string, key: string, number: number): boolean =>
    enteredPlaces(tx, number).some((place) => isTheirs(tx, place, account, key))

  const append = (tx: PromptTransaction, account: string, values: readonly Value[]): Claimed | null => {
    beginTurn(tx)
    const key = String(values[0])
    const number = storedNumber(account, key)
    if (isRecent(tx, account, key, number) || isEntered(tx, account, key, number)) return null
    const place = next++
    tx.write(sql.append, [place, account, ...values])
    recent.add(number, place)
    return { place, number, account, key }
  }

  return {
    /** A file that had no log may have far more to enter than anybody should read while others wait. */
    async prepare() {
      await readRuns(store)
      for (let before = -1; before < entered.last; ) {
        before = entered.last
        const rows = await store.all(sql.following, [before, keysPerRun])
        if (rows.length < keysPerRun) return
        note(rows)
        recent.setApart()
        await enter(before, seen)
        await readRuns(store)
      }
    },
    async find(account, key): Promise<Row | undefined> {
      await readRuns(store)
      note(await store.all(sql.since, [seen]))
      const number = storedNumber(account, key)
      for (const place of recent.placesOf(number)) {
        const row = await store.first(sql.at, [place, account, key])
        if (row) return row
      }
      for (const page of entered.pagesOf(number))
        for (const place of placesIn(await store.first(sql.page, [page]), number)) {
          const row = await store.first(sql.at, [place, account, key])
          if (row) return row
        }
      return undefined
    },
    claim(tx, account, values) {
      const claimed = append(prompt(tx), account, values)
      if (!claimed) return null
      unsure.push(claimed)
      return [claimed.place]
    },
    complete: (tx, claimed, answer) => prompt(tx).write(sql.complete, [...claimed, ...answer]),
    forgetExpired: (account, key, now) =>
      selfUndoing((tx) => {
        beginTurn(tx)
        const number = storedNumber(account, key)
        const places = [...recent.placesOf(number), ...enteredPlaces(tx, number)]
        const expired = places.find((place) => tx.first(sql.expiredAt, [place, account, key, now]))
        if (expired !== undefined) removeKeys(tx, sql, [expired])
      }),
    claimBeside: (account, values, insert) =>
      selfUndoing((tx) => {
        const claimed = append(tx, account, values())
        if (!claimed) return false
        beside.push(claimed)
        try {
          insert(tx)
        } catch (error) {
          tx.write(sql.remove, [claimed.place])
          recent.remove(claimed.number, claimed.place)
          beside.pop()
          throw error
        }
        return true
      }),
  }
}

/** A mark is kept as text; there is none at first. */
const placeIn = (row: Row | undefined): number => Number(row?.[0] ?? 0)

/**
 * Removes rows. The last place is noted, because whoever comes later would use it again if it was among them, and those who know
 * of it already would not look there. Half done it does no harm.
 */
export function removeKeys(tx: PromptTransaction, sql: KeyLog, places: readonly number[]): void {
  tx.write(sql.setUsed, [String(Math.max(placeIn(tx.first(sql.last, [])), placeIn(tx.first(sql.used, []))))])
  for (const place of places) tx.write(sql.remove, [place])
}

/** Of a transaction of such a store. */
export function prompt({ prompt: prompts }: Transaction): PromptTransaction {
  if (!prompts) throw new Error('Keys are kept as a log only by a store that answers at once')
  return prompts
}
