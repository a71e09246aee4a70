import type { RequestNote } from '../../call/exchange.ts'

/** A request that was answered. Neither its path nor its query is kept, which may name people: the route says what was asked. */
export interface AnsweredRequest {
  readonly id: string
  /** In milliseconds since 1970. */
  readonly at: number
  readonly method: string
  readonly note: Readonly<RequestNote>
  readonly status: number
  readonly ms: number
}

const mostKept = 1_000

/** The last requests that this process has answered. */
export class RecentRequests {
  readonly #kept: AnsweredRequest[] = []
  #next = 0

  add(request: AnsweredRequest): void {
    this.#kept[this.#next] = request
    this.#next = (this.#next + 1) % mostKept
  }

  /** Newest first. */
  list(): readonly AnsweredRequest[] {
    return [...this.#kept.slice(this.#next), ...this.#kept.slice(0, this.#next)].reverse()
  }

  find(id: string): AnsweredRequest | null {
    return this.#kept.find((one) => one.id === id) ?? null
  }
}
