import type { Maybe } from '../../maybe.ts'
import type { Dialect } from '../../plan/dialect.ts'
import { type ClaimedWrite, type StoreCounters, StoreError, type Transaction, type Value } from '../store.ts'
import { writeClaimed } from './claimed-write.ts'
import type { Connection } from './connection.ts'
import { isBusy, sqliteError } from './errors.ts'
import { pauseMost, pauseMs } from './retry.ts'
import { type OpenTransaction, openTransaction } from './transaction.ts'

type Work<T> = (tx: Transaction) => Maybe<T>

interface Entry {
  /** Runs inside the batch's transaction and sets `outcome`. It throws when the whole batch must be rolled back. */
  readonly perform: (entry: Entry, isFirst: boolean) => Maybe<void>
  readonly queuedAt: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  outcome: { readonly value: unknown } | { readonly error: unknown } | null
}

/** A transaction that has begun. */
interface OpenWork {
  readonly entry: Entry
  readonly tx: OpenTransaction
  /** Not for the first of a batch. */
  readonly hasSavepoint: boolean
}

const batchMost = 128
/** A batch that has waited this long for its transactions takes no more: none of them is answered before the commit. */
const batchMs = 20
/** A transaction that runs longer is rolled back: no other transaction can write while it runs. */
const workMs = 10_000
/** How long to leave gaps between batches after another process was seen to write. */
const politeMs = 1_000

/**
 * Transactions queue up and share a commit, so that durability costs one sync per batch and not per request. They run one after
 * the other, and no request is answered before the commit. One that fails is rolled back alone: to its savepoint, or with the whole
 * batch where it is the first. A savepoint copies every page that is written after it, so it is made only where it is needed: not for
 * the first of a batch, and not for a single statement, which SQLite undoes by itself, or a claimed write, where a DELETE undoes the
 * claim.
 */
export class GroupCommit {
  readonly #writer: Connection
  readonly #dialect: Dialect
  readonly #counters: StoreCounters
  readonly #patienceMs: number
  readonly #queue: Entry[] = []
  readonly #whenIdle: (() => void)[] = []
  #running = false
  #politeUntil = 0
  #dataVersion = -1
  /** How long the last batch held the lock while it waited for its transactions. */
  #heldMs = 0

  constructor(writer: Connection, dialect: Dialect, counters: StoreCounters, patienceMs: number) {
    this.#writer = writer
    this.#dialect = dialect
    this.#counters = counters
    this.#patienceMs = patienceMs
  }

  /** Runs `work` as one transaction. */
  run<T>(work: Work<T>): Promise<T> {
    return this.#enqueue((entry, isFirst) => this.#performWork(entry, isFirst, work))
  }

  /** Runs one writing statement as a transaction of its own: how many rows it wrote. */
  write(sql: string, values: readonly Value[]): Promise<number> {
    return this.#enqueue((entry) => this.#performStatements(entry, () => this.#writer.write(sql, values)))
  }

  /** Runs two writing statements as a transaction of their own: whether they wrote anything. */
  writeClaimed(writes: ClaimedWrite): Promise<boolean> {
    return this.#enqueue((entry) => this.#performStatements(entry, () => writeClaimed(this.#writer, writes)))
  }

  /** Resolves when everything queued so far has ended. */
  drain(): Promise<void> {
    return new Promise((resolve) => (this.#running ? this.#whenIdle.push(resolve) : resolve()))
  }

  #enqueue<T>(perform: Entry['perform']): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const queuedAt = performance.now()
      this.#queue.push({ perform, queuedAt, resolve: resolve as Entry['resolve'], reject, outcome: null })
      this.#counters.waiting = this.#queue.length
      if (!this.#running) void this.#loop()
    })
  }

  async #loop(): Promise<void> {
    this.#running = true
    // Lets the requests that arrived together queue up before the first of them begins.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      if (await this.#begin()) await this.#batch()
      if (this.#queue.length > 0) await this.#gap()
    }
    this.#running = false
    for (const idle of this.#whenIdle.splice(0)) idle()
  }

  /** Another process polls for the lock; without a gap the process that has it would take it again and again. */
  #gap(): Promise<unknown> {
    const polite = performance.now() < this.#politeUntil ? pauseMs(0) : 0
    // A process that began to wait during a long batch has not been noticed yet, and polls seldom by now.
    const ms = this.#heldMs < batchMs ? polite : Math.max(polite, Math.min(this.#heldMs / 20, pauseMost))
    return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)))
  }

  async #begin(): Promise<boolean> {
    for (let tries = 0; this.#queue.length > 0; tries++) {
      try {
        this.#writer.control('BEGIN IMMEDIATE')
        this.#noticeOtherWriters()
        return true
      } catch (error) {
        if (!isBusy(error)) {
          this.#rollback()
          for (const entry of this.#queue.splice(0)) entry.reject(sqliteError(error, this.#writer.file))
          return false
        }
        this.#politeUntil = performance.now() + politeMs
        this.#rejectOverdue(error)
        await new Promise((resolve) => setTimeout(resolve, pauseMs(tries)))
      }
    }
    return false
  }

  /** `data_version` changes when another connection has committed. */
  #noticeOtherWriters(): void {
    const version = Number(this.#writer.first('PRAGMA data_version', [])?.[0])
    if (this.#dataVersion !== -1 && version !== this.#dataVersion)
      this.#politeUntil = performance.now() + politeMs
    this.#dataVersion = version
  }

  #rejectOverdue(cause: unknown): void {
    const oldest = performance.now() - this.#patienceMs
    while (this.#queue[0] && this.#queue[0].queuedAt < oldest)
      this.#queue
        .shift()
        ?.reject(new StoreError('unavailable', `SQLite: no write lock in ${this.#patienceMs} ms`, { cause }))
    this.#counters.waiting = this.#queue.length
  }

  async #batch(): Promise<void> {
    const done: Entry[] = []
    this.#counters.busyConnections++
    try {
      await this.#fill(done)
      if (this.#writer.inTransaction) this.#commit()
    } catch (error) {
      this.#rollback()
      for (const entry of done) entry.reject(commitFailed(error, this.#writer.file))
      return
    } finally {
      this.#counters.busyConnections--
    }
    for (const entry of done) settle(entry, this.#counters)
  }

  /** A rollback that fails leaves the transaction open. The next batch then cannot begin, and its callers are told. */
  #rollback(): void {
    try {
      if (this.#writer.inTransaction) this.#writer.control('ROLLBACK')
    } catch {}
  }

  #commit(): void {
    this.#writer.control('COMMIT')
    this.#counters.commits++
  }

  /** Performs what is queued. Entries that arrive while a transaction waits for its hooks join, unless that took long. */
  async #fill(done: Entry[]): Promise<void> {
    const openedAt = performance.now()
    this.#heldMs = 0
    while (this.#queue.length > 0 && done.length < batchMost && this.#heldMs < batchMs) {
      const entry = this.#queue.shift() as Entry
      done.push(entry)
      this.#counters.waiting = this.#queue.length
      const waiting = entry.perform(entry, done.length === 1)
      if (waiting) {
        await waiting
        this.#heldMs = performance.now() - openedAt
      }
      if (this.#writer.inTransaction) continue
      if (done.length === 1 && hasFailed(entry)) return
      // A full disk or a failed read ends the whole transaction, with what the others wrote.
      throw failureOf(entry)
    }
  }

  /** `write` has undone itself when it throws. */
  #performStatements(entry: Entry, write: () => unknown): void {
    try {
      entry.outcome = { value: write() }
    } catch (cause) {
      const error = sqliteError(cause, this.#writer.file)
      entry.outcome = { error }
      // A damaged or full file may have taken a part of the statement, so the whole batch is rolled back.
      if (error instanceof StoreError && error.kind === 'unavailable') throw error
    }
  }

  #performWork(entry: Entry, isFirst: boolean, work: Work<unknown>): Maybe<void> {
    const open = { entry, tx: openTransaction(this.#writer, this.#dialect), hasSavepoint: !isFirst }
    try {
      if (open.hasSavepoint) this.#writer.control('SAVEPOINT work')
      const value = work(open.tx)
      if (value instanceof Promise) return this.#awaitWork(open, value)
      this.#release(open, value)
    } catch (error) {
      this.#undo(open, error)
    }
  }

  async #awaitWork(open: OpenWork, value: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<never>((_, reject) => {
      const giveUp = (): void =>
        reject(new StoreError('unavailable', `A transaction was rolled back after ${workMs} ms`))
      timer = setTimeout(giveUp, workMs)
    })
    try {
      this.#release(open, await Promise.race([value, tooLong]))
    } catch (error) {
      this.#undo(open, error)
    } finally {
      clearTimeout(timer)
    }
  }

  #release({ entry, tx, hasSavepoint }: OpenWork, value: unknown): void {
    tx.end()
    if (tx.failure !== undefined) throw tx.failure
    if (hasSavepoint) this.#writer.control('RELEASE work')
    entry.outcome = { value }
  }

  #undo({ entry, tx, hasSavepoint }: OpenWork, error: unknown): void {
    tx.end()
    entry.outcome = { error: tx.failure ?? sqliteError(error, this.#writer.file) }
    if (!this.#writer.inTransaction) return
    if (!hasSavepoint) return this.#writer.control('ROLLBACK')
    this.#writer.control('ROLLBACK TO work')
    this.#writer.control('RELEASE work')
  }
}

const hasFailed = ({ outcome }: Entry): boolean => outcome !== null && 'error' in outcome

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

const commitFailed = (error: unknown, file: string): unknown => {
  const known = sqliteError(error, file)
  if (known instanceof StoreError && known.kind === 'unavailable') return known
  return new StoreError('unavailable', 'SQLite: the commit failed, nothing was written', { cause: error })
}
