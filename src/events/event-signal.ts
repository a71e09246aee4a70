import { countedForNobody } from '../call/counted-work.ts'
import type { EventSink } from '../write/writer.ts'
import { type EventLog, noMark } from './event-log.ts'

/** How often events of other processes are looked for. */
const pollMs = 100

/** How many statements one look sends. Where each is for one account, further accounts have their turn at the next look. */
const mostStatements = 50

/**
 * Where a look is for one account, there are as many as accounts are followed, by every process. So each is followed by a pause so many times
 * as long as it took: a store that is busy has most of its time for requests.
 */
const pausesPerLook = 4
/** A node that was silent is asked again within this time. */
const longestPauseMs = 1_000

interface Follower {
  readonly wake: () => void
  /** The position up to which it has read events. */
  readonly position: () => number
}

/** Tells followers that events of their account may have been committed, by this process or by another one. */
export class EventSignal implements EventSink {
  /** Events that this process has written. */
  written = 0
  readonly #log: EventLog
  readonly #followers = new Map<string, Set<Follower>>()
  /** What the last look found, by account. */
  readonly #seen = new Map<string, string>()
  #onCommit: (account: string) => void = () => {}
  #timer: NodeJS.Timeout | null = null
  /** The looks that have not ended, by their first account. A node that is silent does not hold up those for other accounts. */
  readonly #looking = new Map<string, Promise<void>>()
  /** Until when accounts are not looked at again. */
  readonly #pausing = new Map<string, number>()
  /** How many accounts were looked at since the first of them. */
  #turn = 0

  constructor(log: EventLog) {
    this.#log = log
  }

  committed(account: string, count: number): void {
    this.written += count
    countedForNobody(() => this.#tell(account))
  }

  #tell(account: string): void {
    const followers = this.#followers.get(account)
    if (followers) {
      this.#log.placeNow(account)
      for (const { wake } of followers) wake()
    }
    this.#onCommit(account)
  }

  /** Calls `listener` after every commit of events by this process. */
  onCommit(listener: (account: string) => void): void {
    this.#onCommit = listener
  }

  /**
   * Calls `wake` after every commit of events of the account, until the returned function is called. It may be called in vain, but not for
   * events of another process up to `position`.
   */
  follow(account: string, wake: () => void, position = () => 0): () => void {
    const follower = { wake, position }
    const followers = this.#followers.get(account) ?? new Set()
    this.#followers.set(account, followers.add(follower))
    this.#timer ??= setInterval(() => this.#poll(), pollMs).unref()
    return () => {
      followers.delete(follower)
      if (followers.size > 0 || this.#followers.get(account) !== followers) return
      this.#followers.delete(account)
      this.#seen.delete(account)
      this.#pausing.delete(account)
      if (this.#followers.size === 0) this.#stopTimer()
    }
  }

  async stop(): Promise<void> {
    this.#followers.clear()
    this.#stopTimer()
    await Promise.all(this.#looking.values())
  }

  #stopTimer(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  #poll(): void {
    const { mostMarks } = this.#log
    const now = performance.now()
    const accounts = [...this.#followers.keys()]
    if (this.#turn >= accounts.length) this.#turn = 0
    const end = Math.min(accounts.length, this.#turn + mostStatements * mostMarks)
    for (; this.#turn < end; this.#turn += mostMarks) {
      const some = accounts.slice(this.#turn, this.#turn + mostMarks)
      const [first = ''] = some
      if (this.#looking.has(first) || now < (this.#pausing.get(first) ?? 0)) continue
      // Where the store is unavailable, the next look tries again.
      const look = this.#lookAt(some)
        .catch(() => {})
        .finally(() => {
          this.#looking.delete(first)
          this.#pause(first, performance.now() - now)
        })
      this.#looking.set(first, look)
    }
  }

  #pause(account: string, lookMs: number): void {
    if (this.#log.mostMarks > 1 || !this.#followers.has(account)) return
    this.#pausing.set(account, performance.now() + Math.min(longestPauseMs, pausesPerLook * lookMs))
  }

  async #lookAt(accounts: readonly string[]): Promise<void> {
    const marks = await this.#log.marks(accounts)
    for (const account of accounts) {
      const { text, last, isWaiting } = marks.get(account) ?? noMark
      const seen = this.#seen.get(account)
      this.#seen.set(account, text)
      // Events may have been committed between the beginning of the following and the first look.
      if (seen === text) continue
      // Whoever was woken when this process committed the events has read them already.
      for (const { wake, position } of this.#followers.get(account) ?? [])
        if (seen === undefined || isWaiting || position() < last) wake()
    }
  }
}
