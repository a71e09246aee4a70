import type { RequestNote } from '../../call/exchange.ts'

/** A request that was answered. Neither its path nor its query is kept, which may name people: the route says what was asked. */
export interface AnsweredRequest extends Omit<RequestNote, 'subject'> {
  readonly id: string
  /** In milliseconds since 1970. */
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

/** The last requests that this process has answered. */
export interface RecentRequests {
  add(request: AnsweredRequest): void
  /** Whoever was told to slow down since midnight, most often first. */
  limited(): readonly LimitedConsumer[]
  forgetLimited(): void
  /** Newest first. */
  list(): readonly AnsweredRequest[]
  /** The last ones that were refused or failed, newest first: what a consumer asks about. */
  wrong(): readonly AnsweredRequest[]
  find(id: string): AnsweredRequest | null
}
