import type { EventSink } from '../write/event-sink.ts'
import type { EventLog } from './event-log.ts'

/** How often events of other processes are looked for. */
const pollMs = 100

const mostPerStatement = 500

/** Tells followers that events of their account may have been committed, by this process or by another one. */
export class EventSignal implements EventSink {
  /** Events that this process has written. */
  written = 0
  readonly #log: EventLog
  readonly #followers = new Map<string, Set<() => void>>()
  /** What the last look found, by account. */
  readonly #seen = new Map<string, string>()
  #onCommit: (account: string) => void = () => {}
  #timer: NodeJS.Timeout | null = null
  #polling: Promise<void> | null = null

  constructor(log: EventLog) {
    this.#log = log
  }

  committed(account: string, count: number): void {
    this.written += count
    this.#wake(account)
    this.#onCommit(account)
  }

  /** Calls `listener` after every commit of events by this process. */
  onCommit(listener: (account: string) => void): void {
    this.#onCommit = listener
  }

  /** Calls `wake` after every commit of events of the account, until the returned function is called. It may be called in vain. */
  follow(account: string, wake: () => void): () => void {
    const followers = this.#followers.get(account) ?? new Set()
    this.#followers.set(account, followers.add(wake))
    this.#timer ??= setInterval(() => this.#poll(), pollMs).unref()
    return () => {
      followers.delete(wake)
      if (followers.size > 0 || this.#followers.get(account) !== followers) return
      this.#followers.delete(account)
      this.#seen.delete(account)
      if (this.#followers.size === 0) this.#stopTimer()
    }
  }

  async stop(): Promise<void> {
    this.#followers.clear()
    this.#stopTimer()
    await this.#polling
  }

  #stopTimer(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  #wake(account: string): void {
    for (const wake of this.#followers.get(account) ?? []) wake()
  }

  #poll(): void {
    this.#polling ??= this.#lookAtAll().finally(() => {
      this.#polling = null
    })
  }

  async #lookAtAll(): Promise<void> {
    const accounts = [...this.#followers.keys()]
    for (let from = 0; from < accounts.length; from += mostPerStatement)
      try {
        await this.#lookAt(accounts.slice(from, from + mostPerStatement))
      } catch {
        // The store is unavailable. The next poll tries again.
        return
      }
  }

  async #lookAt(accounts: readonly string[]): Promise<void> {
    const marks = await this.#log.marks(accounts)
    for (const account of accounts) {
      const mark = marks.get(account) ?? ''
      const seen = this.#seen.get(account)
      this.#seen.set(account, mark)
      // Events may have been committed between the beginning of the following and the first look.
      if (seen !== mark) this.#wake(account)
    }
  }
}
