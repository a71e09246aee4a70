import { nextTick } from 'node:process'
import { setImmediate } from 'node:timers'
import type { Maybe } from '../maybe.ts'
import { FairLimit, type Holder } from './fair-limit.ts'

/** How long requests are begun before other work of the event loop has its turn. */
const turnMs = 50
/** A request that waits takes some kilobytes. One address may have half of them. */
const mostWaiting = 10_000

interface Waiting {
  readonly holder: Holder
  begin(): void
}

/**
 * Who asks next, where requests arrive faster than they are answered. SQLite answers at once, so that some hundred requests in one packet, or
 * on as many connections, would all be answered before anybody else is heard. Beyond `turnMs` they wait, and callers take turns: one request of
 * each. A request with a body has another turn when it has arrived. What a request does after another process has answered is not counted.
 */
export class CallerTurns {
  readonly #now: () => number
  readonly #mostMs: number
  /** By caller, the one first whose turn is next. None of them is empty. */
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #held: FairLimit
  /** When the turn began; null where no request has come since the event loop went on. */
  #beganAt: number | null = null

  constructor({ mostMs = turnMs, most = mostWaiting, now = () => performance.now() } = {}) {
    this.#mostMs = mostMs
    this.#held = new FairLimit(most)
    this.#now = now
  }

  /** Does the work at once, or when it is the caller's turn. Null where too many requests of the holder wait. */
  take<T>(who: () => string, holder: () => Holder, work: () => Maybe<T>): Maybe<T> | null {
    if (this.#waiting.size === 0 && this.#hasTime()) return work()
    const held = holder()
    if (!this.#held.take(held, 1)) {
      this.#held.giveBack(held, 1)
      return null
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const begin = (): void => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    }
    const caller = who()
    const queue = this.#waiting.get(caller) ?? []
    queue.push({ holder: held, begin })
    this.#waiting.set(caller, queue)
    return promise
  }

  #hasTime(): boolean {
    if (this.#beganAt !== null) return this.#now() - this.#beganAt < this.#mostMs
    this.#beganAt = this.#now()
    this.#goOn()
    return true
  }

  /** Begins one waiting request of each caller, until the time of the turn is over. Requests that arrive meanwhile wait behind them. */
  async #next(): Promise<void> {
    const beganAt = this.#now()
    this.#beganAt = this.#waiting.size > 0 ? beganAt : null
    for (const [caller, queue] of this.#waiting) {
      this.#waiting.delete(caller)
      const first = queue.shift()
      if (queue.length > 0) this.#waiting.set(caller, queue)
      if (first) this.#begin(first)
      // What the request does in promises that are kept at once is a part of its turn.
      await new Promise<void>((resolve) => nextTick(resolve))
      if (this.#now() - beganAt >= this.#mostMs) break
    }
    if (this.#beganAt !== null) this.#goOn()
  }

  /** When the event loop has read what arrived. */
  #goOn(): void {
    setImmediate(() => void this.#next())
  }

  #begin({ holder, begin }: Waiting): void {
    this.#held.giveBack(holder, 1)
    begin()
  }
}
