import type { Caller } from '../call/caller.ts'
import type { LiveBody } from '../call/exchange.ts'
import { Problem } from '../problems.ts'
import { EventChannel } from './event-channel.ts'
import type { EventLog } from './event-log.ts'
import type { EventScan } from './event-scan.ts'
import type { EventSignal } from './event-signal.ts'
import { EventStream } from './event-stream.ts'
import { StreamShares } from './stream-shares.ts'

/** How often it is checked that the caller of an open stream may still call: a revocation is noticed within this time and the key cache's. */
const checkEveryMs = 1_000
/** The streams are checked in this many parts: all at once would hold up events for as long as a thousand checks take. */
const checkParts = 20

interface SharedChannel {
  readonly channel: EventChannel
  streams: number
  /** Ends the following of the account. */
  readonly leave: () => void
}

/** All open streams of this process. */
export class EventStreams {
  readonly #log: EventLog
  readonly #signal: EventSignal
  readonly #shares: StreamShares
  readonly #channels = new Map<string, SharedChannel>()
  readonly #checks = new Map<EventStream, () => unknown>()
  #timer: NodeJS.Timeout | null = null

  constructor(log: EventLog, signal: EventSignal, mostPerAccount: number) {
    this.#log = log
    this.#signal = signal
    this.#shares = new StreamShares(mostPerAccount)
  }

  get count(): number {
    return this.#checks.size
  }

  /**
   * Opens a stream from a position on, or from now on where it is null. `check` is called while the stream is open, and ends it by
   * throwing a problem with status 401, 403 or 410.
   */
  async open(scan: EventScan, caller: Caller, from: number | null, check: () => unknown): Promise<LiveBody> {
    const giveBack = this.#shares.take(caller)
    try {
      const last = await this.#log.last(scan.account)
      // Reads what follows once: a position whose events were deleted is refused before the answer begins.
      if (from !== null) await scan.page(from, 1)
      const shared = this.#channelOf(scan, caller, last)
      const stream = new EventStream(shared.channel, from ?? last, (ended) => {
        giveBack()
        this.#closed(ended, shared)
      })
      shared.streams++
      this.#checks.set(stream, check)
      this.#timer ??= setInterval(() => this.#checkSome(), checkEveryMs / checkParts).unref()
      return stream
    } catch (error) {
      giveBack()
      throw error
    }
  }

  /** Ends all streams. Their clients resume elsewhere. */
  stop(): void {
    for (const stream of this.#checks.keys()) stream.end()
  }

  #channelOf(scan: EventScan, caller: Caller, last: number): SharedChannel {
    const key = JSON.stringify([scan.boundTo, audienceKey(caller)])
    const known = this.#channels.get(key)
    if (known) return known
    const channel = new EventChannel(scan, last)
    const follow = this.#signal.follow(
      scan.account,
      () => channel.wake(),
      () => channel.position,
    )
    const leave = (): void => {
      follow()
      channel.close()
      this.#channels.delete(key)
    }
    const made = { channel, streams: 0, leave }
    this.#channels.set(key, made)
    // An event may have been committed between the reading of the last position and the following.
    channel.wake()
    return made
  }

  #closed(stream: EventStream, shared: SharedChannel): void {
    this.#checks.delete(stream)
    if (--shared.streams === 0) shared.leave()
    if (this.#checks.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  /** Checks a part of the streams, those first that were checked longest ago. */
  #checkSome(): void {
    const some = [...this.#checks.entries().take(Math.ceil(this.#checks.size / checkParts))]
    for (const [stream, check] of some) {
      this.#checks.delete(stream)
      this.#checks.set(stream, check)
      void this.#check(stream, check)
    }
  }

  async #check(stream: EventStream, check: () => unknown): Promise<void> {
    try {
      await check()
    } catch (error) {
      // The store or the issuer may be away for a moment, which says nothing about the caller.
      if (error instanceof Problem && endings.has(error.status)) stream.end()
    }
  }
}

const endings: ReadonlySet<number> = new Set([401, 403, 410])

/** Two callers with the same key see the same events. */
const audienceKey = ({ scopes, subject, claims, consumer }: Caller): readonly unknown[] => [
  [...scopes].sort(),
  subject,
  claims,
  consumer,
]
