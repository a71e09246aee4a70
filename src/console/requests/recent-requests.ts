import type { RequestNote } from '../../call/exchange.ts'

/** A request that was answered. Neither its path nor its query is kept, which may name people: the route says what was asked. */
export interface AnsweredRequest extends Omit<RequestNote, 'subject'> {
  readonly id: string
  /** Unix time in milliseconds. */
  readonly at: number
  readonly method: string
  readonly status: number
  readonly ms: number
}

/** A consumer that was told to slow down. */
export interface LimitedConsumer {
  /** Null where nobody was authenticated. */
  readonly account: string | null
  readonly consumer: string | null
  readonly calls: number
  readonly lastAt: number
}

const mostLimited = 20
const mostKept = 1_000
/** Most failures and refusals that other processes get. Refusals have a bound of their own, because anyone can cause them. */
const mostFailed = 50
const mostRefused = 100

/** The last requests that this process has answered. */
export class RecentRequests {
  readonly #all = new LastOnes<AnsweredRequest>(mostKept)
  readonly #failed = new LastOnes<AnsweredRequest>(mostFailed)
  readonly #refused = new LastOnes<AnsweredRequest>(mostRefused)
  #limited = new Map<string, LimitedConsumer>()

  add(request: AnsweredRequest): void {
    this.#all.add(request)
    if (request.status >= 500) this.#failed.add(request)
    else if (request.status >= 400) this.#refused.add(request)
    if (request.status === 429) this.#limit(request)
  }

  /** Whoever was told to slow down since midnight, most often first. */
  limited(): readonly LimitedConsumer[] {
    return [...this.#limited.values()].sort((a, b) => b.calls - a.calls).slice(0, mostLimited)
  }

  forgetLimited(): void {
    this.#limited.clear()
  }

  /** Newest first. */
  list(): readonly AnsweredRequest[] {
    return this.#all.list()
  }

  /** The last ones that were refused or failed, newest first: what a consumer asks about. */
  wrong(): readonly AnsweredRequest[] {
    return [...this.#failed.list(), ...this.#refused.list()].sort((a, b) => b.at - a.at)
  }

  find(id: string): AnsweredRequest | null {
    const isIt = (one: AnsweredRequest): boolean => one.id === id
    return this.#all.list().find(isIt) ?? this.wrong().find(isIt) ?? null
  }

  #limit({ account, consumer, at }: AnsweredRequest): void {
    const key = JSON.stringify([account, consumer])
    const calls = (this.#limited.get(key)?.calls ?? 0) + 1
    this.#limited.set(key, { account, consumer, calls, lastAt: at })
    if (this.#limited.size > 10 * mostLimited)
      this.#limited = new Map(this.limited().map((one) => [JSON.stringify([one.account, one.consumer]), one]))
  }
}

class LastOnes<T> {
  readonly #most: number
  readonly #kept: T[] = []
  #next = 0

  constructor(most: number) {
    this.#most = most
  }

  add(one: T): void {
    this.#kept[this.#next] = one
    this.#next = (this.#next + 1) % this.#most
  }

  /** Newest first. */
  list(): readonly T[] {
    return [...this.#kept.slice(this.#next), ...this.#kept.slice(0, this.#next)].reverse()
  }
}
