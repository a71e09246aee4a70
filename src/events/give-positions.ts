import { insertHeads, moveEvents } from '../plan/event-moves.ts'
import {
  insertOneHead,
  lockOneHead,
  oldestWaiting,
  rememberOneLast,
  removeListed,
  writeListed,
} from '../plan/event-moves-in-steps.ts'
import { allRows, firstRow, writeAlone } from '../store/run-statement.ts'
import type { Store, Transaction } from '../store/store.ts'

/** How many accounts one statement gives positions to the events of. */
const accountsAtOnce = 100
/** Statements for several accounts that run at the same time. The next one takes all accounts that were asked for meanwhile. */
const mostRunning = 2
/**
 * Such statements begin at least this far apart. Most of the time that one takes PostgreSQL does not depend on how many events it moves, so
 * that events of many accounts cost less together.
 */
const beginEveryMs = 10

/** Gives positions to committed events that have none, the oldest first. */
export class PositionGiver {
  readonly #store: Store
  readonly #asked = new Map<string, PromiseWithResolvers<void>>()
  #running = 0
  #hasJustBegun = false

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Resolves when the oldest events of the account that were committed before the call have positions: `mostMoved` of them at least.
   * Readers share a statement, but not one that has begun: events that were committed since may be missing from it.
   */
  give(account: string): Promise<void> {
    const known = this.#asked.get(account)
    if (known) return known.promise
    const asked = Promise.withResolvers<void>()
    this.#asked.set(account, asked)
    this.#begin()
    return asked.promise
  }

  #begin(): void {
    // Where accounts are on different nodes, one that does not answer must not hold up the others.
    const isShared = !this.#store.dialect.accountsApart
    if (this.#asked.size === 0 || (isShared && (this.#hasJustBegun || this.#running >= mostRunning))) return
    if (isShared) this.#pause()
    const batch = [...this.#asked].slice(0, isShared ? accountsAtOnce : 1)
    for (const [account] of batch) this.#asked.delete(account)
    this.#running++
    this.#move(batch.map(([account]) => account))
      .then(
        () => batch.forEach(([, { resolve }]) => void resolve()),
        (error: unknown) => batch.forEach(([, { reject }]) => void reject(error)),
      )
      .finally(() => {
        this.#running--
        this.#begin()
      })
  }

  #pause(): void {
    this.#hasJustBegun = true
    setTimeout(() => {
      this.#hasJustBegun = false
      this.#begin()
    }, beginEveryMs)
  }

  async #move(accounts: readonly string[]): Promise<void> {
    const { dialect } = this.#store
    const [account = ''] = accounts
    if (dialect.accountsApart) return this.#store.transaction((tx) => moveInSteps(tx, account), account)
    const move = moveEvents(dialect, accounts)
    if ((await writeAlone(this.#store, move)) === accounts.length) return
    // Another process was faster, or the first events of an account wait. That process may be about to move them, so they are not left to it.
    await writeAlone(this.#store, insertHeads(dialect, accounts))
    await writeAlone(this.#store, move)
  }
}

/** What was committed before the head was locked is seen by the statements that follow, since each sees what is committed when it begins. */
async function moveInSteps(tx: Transaction, account: string): Promise<void> {
  const { dialect } = tx
  const lock = () => firstRow(tx, lockOneHead(dialect, account))
  let head = await lock()
  if (!head) {
    await firstRow(tx, insertOneHead(dialect, account))
    head = await lock()
  }
  const numbers = (await allRows(tx, oldestWaiting(dialect, account))).map(([number]) => String(number))
  if (numbers.length === 0) return
  const listed = { account, numbers }
  await firstRow(tx, writeListed(dialect, listed, head?.[0] ?? 0))
  await firstRow(tx, removeListed(dialect, listed))
  await firstRow(tx, rememberOneLast(dialect, account))
}
