import type { Maybe } from '../../maybe.ts'
import type { Dialect } from '../../plan/dialect.ts'
import { type StoreCounters, StoreError } from '../store.ts'
import type { Connection } from './connection.ts'
import { isBusy, sqliteError } from './errors.ts'
import { pauseMost, pauseMs } from './retry.ts'
import { type OpenTransaction, openTransaction } from './transaction.ts'

type Work<T> = (tx: OpenTransaction) => Maybe<T>

interface Entry {
  readonly work: Work<unknown>
  readonly undoesItself: boolean
  readonly queuedAt: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  outcome: { readonly value: unknown } | { readonly error: unknown } | null
}

export interface GroupCommit {
  run<T>(work: Work<T>, undoesItself?: boolean): Promise<T>
  /** Resolves when everything queued so far has ended. */
  drain(): Promise<void>
}

const batchMost = 128
/** A batch that has waited for its works this long takes no more: those it has are not answered before its commit. */
const batchMs = 20
/** After this long a work is given up: while it runs, nobody else can write. */
const workMs = 10_000
/** How long to leave gaps between batches after another process was seen to write. */
const politeMs = 1_000

/**
 * Transactions queue up and share a commit, so that durability costs one sync per batch and not per request. Each runs in a
 * savepoint of its own, one after the other: one that fails is undone alone, and nobody is answered before the commit. A
 * savepoint copies every page that is written under it, so those who undo themselves have none.
 */
export function groupCommit(
  writer: Connection,
  dialect: Dialect,
  counters: StoreCounters,
  patienceMs: number,
): GroupCommit {
  const queue: Entry[] = []
  let running = false
  const whenIdle: (() => void)[] = []
  let politeUntil = 0
  let seenVersion = -1
  let turn = 0
  const toldOfCommit: (() => void)[] = []
  const whenCommitted = (then: () => void): void => void toldOfCommit.push(then)
  /** How long the last batch had the lock, as far as it waited for its works. */
  let heldMs = 0

  const loop = async (): Promise<void> => {
    running = true
    // Lets the requests that arrived together queue up before the first of them begins.
    await new Promise((resolve) => setImmediate(resolve))
    while (queue.length > 0) {
      if (await begin()) await batch()
      if (queue.length > 0) await gap()
    }
    running = false
    for (const idle of whenIdle.splice(0)) idle()
  }

  /** Another process polls for the lock; without a gap the one that has it would take it again and again. */
  const gap = (): Promise<unknown> => {
    const polite = performance.now() < politeUntil ? pauseMs(0) : 0
    // Whoever came meanwhile has not been seen, and looks seldom by now.
    const ms = heldMs < batchMs ? polite : Math.max(polite, Math.min(heldMs / 20, pauseMost))
    return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)))
  }

  const begin = async (): Promise<boolean> => {
    for (let tries = 0; queue.length > 0; tries++) {
      try {
        writer.control('BEGIN IMMEDIATE')
        noteOthers()
        return true
      } catch (error) {
        if (!isBusy(error)) {
          for (const entry of queue.splice(0)) entry.reject(sqliteError(error, writer.file))
          return false
        }
        politeUntil = performance.now() + politeMs
        rejectThoseWhoWaitedLong(error)
        await new Promise((resolve) => setTimeout(resolve, pauseMs(tries)))
      }
    }
    return false
  }

  /** `data_version` changes when another connection has committed. */
  const noteOthers = (): void => {
    const version = Number(writer.first('PRAGMA data_version', [])?.[0])
    if (seenVersion !== -1 && version !== seenVersion) politeUntil = performance.now() + politeMs
    seenVersion = version
  }

  const rejectThoseWhoWaitedLong = (cause: unknown): void => {
    const oldest = performance.now() - patienceMs
    while (queue[0] && queue[0].queuedAt < oldest)
      queue
        .shift()
        ?.reject(new StoreError('unavailable', `SQLite: no write lock in ${patienceMs} ms`, { cause }))
    counters.waiting = queue.length
  }

  const batch = async (): Promise<void> => {
    const done: Entry[] = []
    const openedAt = performance.now()
    heldMs = 0
    turn++
    toldOfCommit.length = 0
    counters.busyConnections++
    try {
      // Those who arrive while a work of this batch waits for its hooks join it, unless that took long.
      while (queue.length > 0 && done.length < batchMost && heldMs < batchMs) {
        const entry = queue.shift() as Entry
        done.push(entry)
        counters.waiting = queue.length
        const waiting = perform(entry)
        if (waiting) {
          await waiting
          heldMs = performance.now() - openedAt
        }
        // A full disk or a failed read ends the whole transaction, with what the others wrote.
        if (!writer.inTransaction) throw failureOf(entry)
      }
      writer.control('COMMIT')
    } catch (error) {
      if (writer.inTransaction) writer.control('ROLLBACK')
      for (const entry of done) entry.reject(lost(error, writer.file))
      return
    } finally {
      counters.busyConnections--
    }
    counters.commits++
    for (const tell of toldOfCommit) tell()
    for (const entry of done) settle(entry, counters)
  }

  const perform = (entry: Entry): Maybe<void> => {
    const tx = openTransaction(writer, dialect, turn, whenCommitted, entry.undoesItself)
    try {
      if (!entry.undoesItself) writer.control('SAVEPOINT work')
      const value = entry.work(tx)
      if (value instanceof Promise) return performSlowly(entry, tx, value)
      release(entry, tx, value)
    } catch (error) {
      undo(entry, tx, error)
    }
  }

  const performSlowly = async (entry: Entry, tx: OpenTransaction, value: Promise<unknown>): Promise<void> => {
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<never>((_, reject) => {
      const error = new StoreError('unavailable', `A transaction was given up after ${workMs} ms`)
      timer = setTimeout(reject, workMs, error)
    })
    try {
      release(entry, tx, await Promise.race([value, tooLong]))
    } catch (error) {
      undo(entry, tx, error)
    } finally {
      clearTimeout(timer)
    }
  }

  const release = (entry: Entry, tx: OpenTransaction, value: unknown): void => {
    tx.end()
    if (tx.failure !== undefined) throw tx.failure
    if (!entry.undoesItself) writer.control('RELEASE work')
    entry.outcome = { value }
  }

  const undo = (entry: Entry, tx: OpenTransaction, error: unknown): void => {
    tx.end()
    entry.outcome = { error: tx.failure ?? sqliteError(error, writer.file) }
    if (!writer.inTransaction) return
    if (entry.undoesItself) {
      // What may be half written or half undone must not be kept: then all of the batch goes.
      if (tx.undoFailed || isOutOfOrder(tx.failure)) throw tx.failure
      return
    }
    writer.control('ROLLBACK TO work')
    writer.control('RELEASE work')
  }

  return {
    run<T>(work: Work<T>, undoesItself = false) {
      return new Promise<T>((resolve, reject) => {
        const queuedAt = performance.now()
        queue.push({
          work,
          undoesItself,
          queuedAt,
          resolve: resolve as Entry['resolve'],
          reject,
          outcome: null,
        })
        counters.waiting = queue.length
        if (!running) void loop()
      })
    },
    drain: () => new Promise((resolve) => (running ? whenIdle.push(resolve) : resolve())),
  }
}

/** A damaged or full file may have taken a part of a statement. */
const isOutOfOrder = (failure: unknown): boolean =>
  failure instanceof StoreError && failure.kind === 'unavailable'

function settle(entry: Entry, counters: StoreCounters): void {
  if (entry.outcome && 'value' in entry.outcome) {
    counters.committed++
    entry.resolve(entry.outcome.value)
  } else entry.reject(failureOf(entry))
}

const failureOf = (entry: Entry): unknown =>
  entry.outcome && 'error' in entry.outcome
    ? entry.outcome.error
    : new Error('The transaction ended by itself')

const lost = (error: unknown, file: string): unknown => {
  const known = sqliteError(error, file)
  if (known instanceof StoreError && known.kind === 'unavailable') return known
  return new StoreError('unavailable', 'SQLite: the commit failed, nothing was written', { cause: error })
}
