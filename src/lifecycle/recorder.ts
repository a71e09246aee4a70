import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Clock } from '../clock.ts'
import type { Store, Transaction } from '../store/store.ts'
import type { DetailRow, UsageRow } from './counts.ts'
import { insertRecorder, readFlushes, updateRecorder } from './recorder-rows.ts'
import { writeSignal } from './sent-signals.ts'
import { createTally, type Taken, type TallyLimits } from './tally.ts'
import { addCounts, detailTable, inOrder, usageTable } from './upsert.ts'
import type { UsageRecorder } from './use.ts'

/** Rows of one transaction: so few that no request waits long behind one. */
const parcelRows = 250

/** Part of what was counted, sent as one transaction and kept until the store has it. */
interface Parcel {
  readonly number: number
  readonly usage: readonly UsageRow[]
  readonly details: readonly DetailRow[]
  readonly signals: Taken['signals']
  /** Everything counted before then is in this parcel or earlier ones; null while more is to come. */
  readonly at: number | null
}

export interface Recorder extends UsageRecorder {
  /** Writes what was counted, and that this process lives. What cannot be written now is kept and written the next time. */
  flush(): Promise<void>
  /** The last flush; after it this process leaves no gap. */
  end(): Promise<void>
  /** How many counts and unwritten rows are held in memory. */
  readonly size: number
}

export interface RecorderOptions {
  readonly store: Store
  readonly clock: Clock
  readonly limits?: TallyLimits
  /** Asked for when memory fills up before the next flush is due. */
  readonly flushSoon?: () => void
}

/** Counts for one process, known to the store from the start, so that its end without a last word is noticed. */
export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  const { store, clock, limits } = options
  // Says which process it is, to somebody who must find it.
  const id = `${hostname()} ${process.pid} ${randomUUID()}`
  const startedAt = clock.now()
  const tally = createTally(clock, limits, options.flushSoon)
  let number = 0
  let outbox: Parcel[] = []
  let running: Promise<void> = Promise.resolve()

  const send = (parcel: Parcel, endedAt: number | null): Promise<void> =>
    store.transaction(async (tx) => {
      const written = await readFlushes(tx, id)
      // The answer to the last attempt was lost, not the write.
      if (written !== null && written >= parcel.number) return
      await writeCounts(tx, parcel)
      const write = { flushes: parcel.number, at: parcel.at, endedAt }
      if (written === null) await insertRecorder(tx, id, { ...write, startedAt })
      else await updateRecorder(tx, id, write)
    })

  const pack = (): void => {
    const at = clock.now()
    const { usage, details, signals } = tally.take()
    const parts = [
      ...slices(inOrder(usage)).map((rows) => ({ usage: rows, details: [] })),
      ...slices(inOrder(details)).map((rows) => ({ usage: [], details: rows })),
    ]
    if (parts.length === 0) parts.push({ usage: [], details: [] })
    outbox = parts.map((part, index) => {
      const last = index === parts.length - 1
      return { ...part, number: ++number, signals: last ? signals : [], at: last ? at : null }
    })
  }

  const empty = async (ending: boolean): Promise<void> => {
    for (let parcel = outbox[0]; parcel; parcel = outbox[0]) {
      await send(parcel, ending && parcel.at !== null ? parcel.at : null)
      outbox.shift()
    }
  }

  const flush = async (ending: boolean): Promise<void> => {
    // What an earlier attempt could not write goes first and unchanged: the store may have it already.
    await empty(false)
    pack()
    await empty(ending)
  }
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = running.then(work)
    running = turn.catch(() => {})
    return turn
  }

  await store.transaction((tx) =>
    insertRecorder(tx, id, { startedAt, flushes: 0, at: startedAt, endedAt: null }),
  )
  return {
    count: tally.count,
    signalled: tally.signalled,
    flush: () => inTurn(() => flush(false)),
    end: () => inTurn(() => flush(true)),
    get size() {
      return tally.size + outbox.reduce((sum, { usage, details }) => sum + usage.length + details.length, 0)
    },
  }
}

async function writeCounts(tx: Transaction, { usage, details, signals }: Parcel): Promise<void> {
  await addCounts(tx, usageTable, usage)
  await addCounts(tx, detailTable, details)
  for (const signal of signals) await writeSignal(tx, signal)
}

function slices<R>(rows: readonly R[]): R[][] {
  const parts: R[][] = []
  for (let at = 0; at < rows.length; at += parcelRows) parts.push(rows.slice(at, at + parcelRows))
  return parts
}
