import type { Clock } from '../clock.ts'
import type { Version } from '../compile/model.ts'
import { newProcessId } from '../store/process-id.ts'
import { type Store, StoreError, type Transaction } from '../store/store.ts'
import { addCounts, type CountRow, type CountTable, detailTable, usageTable } from './count-tables.ts'
import { writeRecorder } from './recorder-rows.ts'
import { writeSignal } from './sent-signals.ts'
import { type TakenCounts, Tally, type TallyLimits } from './tally.ts'
import type { UsageRecorder, Use } from './use.ts'

/** Rows of one transaction: few, so that no request waits long for its locks. */
const batchRows = 250

/** Part of the counts, written in one transaction and kept until that has succeeded. */
interface Batch {
  readonly table: CountTable
  readonly rows: readonly CountRow[]
  readonly signals: TakenCounts['signals']
  /** Everything counted before this time is in this batch or earlier ones; null where a later batch has the rest. */
  readonly at: number | null
}

export interface RecorderOptions {
  readonly store: Store
  readonly clock: Clock
  /** What the process always gives a value: see `RecorderRow`. */
  readonly requires?: readonly string[]
  readonly limits?: TallyLimits
  /** Called when half of a limit is used up before the next flush is due. */
  readonly flushSoon?: () => void
  readonly warn?: (message: string, error: unknown) => void
}

/**
 * Opens the recorder of this process. The store has its row from the start, so that a process that dies without a last flush is
 * noticed. Where the row cannot be written, because a node of the store is down, the first flush that succeeds writes it: a process
 * must be able to start meanwhile.
 */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const recorder = new Recorder(options)
  try {
    await recorder.register()
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'unavailable')) throw error
    options.warn?.('The row of this process cannot be written yet; it is tried again.', error)
  }
  return recorder
}

/**
 * Counts the calls of one process in memory, and adds them to the store's counts at each flush.
 *
 * - Counting: when a request ends, the engine calls `count`. The tally (tally.ts) adds one in memory, so no request waits for the store.
 * - Taking: `Lifecycle` (start-lifecycle.ts) calls `flush` every two seconds, or sooner where the tally asks for it with `flushSoon`.
 *   A flush takes all counts out of the tally, as rows, and cuts the rows into batches.
 * - Writing: each batch is one transaction. It adds the rows to the tables of counts (count-tables.ts); the last batch of a flush also sets
 *   the time in this process's row of `nounkit_recorders` (recorder-rows.ts), which says "alive, complete up to here".
 * - Failing: a batch that could not be written stays first in the queue. Nothing more is taken meanwhile, so that a day's counts need
 *   no more memory than the tally's limits allow. Where only the answer of the store was lost, the batch is counted twice: a consumer
 *   that called is never missing, and who asks whether anybody still calls needs no exact number.
 * - Ending: `end` is a last flush that also sets `ended_at`: no count of this process is missing. A process that dies leaves a row without
 *   it; others mark that row as lost after 12 s (`markSilent`, recorder-rows.ts), and reports and `retire` show a gap in usage.
 */
export class Recorder implements UsageRecorder {
  readonly #id = newProcessId()
  readonly #store: Store
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #requires: readonly string[]
  readonly #tally: Tally
  #unwritten: Batch[] = []
  /** Flushes run one after the other. */
  #running: Promise<void> = Promise.resolve()

  constructor({ store, clock, requires = [], limits, flushSoon }: RecorderOptions) {
    this.#requires = requires
    this.#store = store
    this.#clock = clock
    this.#startedAt = clock.now()
    this.#tally = new Tally(clock, limits, flushSoon)
  }

  /** How many counts and unwritten rows are held in memory. */
  get size(): number {
    return this.#tally.size + this.#unwritten.reduce((sum, { rows }) => sum + rows.length, 0)
  }

  register(): Promise<void> {
    return this.#store.transaction((tx) => this.#writeRow(tx, this.#startedAt, null))
  }

  count(method: string, status: number, use: Use): void {
    this.#tally.count(method, status, use)
  }

  signalled(version: Version): void {
    this.#tally.signalled(version)
  }

  /** Writes the counts, and that this process is alive. What cannot be written now is kept for the next flush. */
  flush(): Promise<void> {
    return this.#queue(() => this.#flush(false))
  }

  /** The last flush. After it the store knows that no count of this process is missing. */
  end(): Promise<void> {
    return this.#queue(() => this.#flush(true))
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#running.then(work)
    this.#running = done.catch(() => {})
    return done
  }

  async #flush(isLast: boolean): Promise<void> {
    await this.#writeAll(false)
    this.#unwritten = this.#takeBatches()
    await this.#writeAll(isLast)
  }

  async #writeAll(isLast: boolean): Promise<void> {
    for (let batch = this.#unwritten[0]; batch; batch = this.#unwritten[0]) {
      await this.#write(batch, isLast && batch.at !== null ? batch.at : null)
      this.#unwritten.shift()
    }
  }

  #takeBatches(): Batch[] {
    const at = this.#clock.now()
    const { usage, details, signals } = this.#tally.take()
    const parts = [
      ...slices(usage).map((rows) => ({ table: usageTable, rows })),
      ...slices(details).map((rows) => ({ table: detailTable, rows })),
    ]
    if (parts.length === 0) parts.push({ table: usageTable, rows: [] })
    return parts.map((part, index) => {
      const last = index === parts.length - 1
      return { ...part, signals: last ? signals : [], at: last ? at : null }
    })
  }

  #write({ table, rows, signals, at }: Batch, endedAt: number | null): Promise<void> {
    return this.#store.transaction(async (tx) => {
      await addCounts(tx, table, rows)
      for (const signal of signals) await writeSignal(tx, signal)
      if (at !== null) await this.#writeRow(tx, at, endedAt)
    })
  }

  #writeRow(tx: Transaction, at: number, endedAt: number | null): Promise<void> {
    const [id, startedAt, requires] = [this.#id, this.#startedAt, this.#requires]
    return writeRecorder(tx, { id, startedAt, requires, at, endedAt })
  }
}

function slices<R>(rows: readonly R[]): R[][] {
  const parts: R[][] = []
  for (let at = 0; at < rows.length; at += batchRows) parts.push(rows.slice(at, at + batchRows))
  return parts
}
