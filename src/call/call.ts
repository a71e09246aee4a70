import type { Caller } from './caller.ts'
import type { LiveBody } from './exchange.ts'
import type { Target } from './target.ts'

/** A request that was understood and allowed: who calls, and what for. */
export interface Call {
  readonly caller: Caller
  readonly target: Target
  /** For the audit; not known where a command makes the call. */
  readonly requestId?: string
}

/** The result of a request, before it becomes a response. */
export interface Outcome {
  readonly status: number
  /** The whole body, finished JSON. */
  readonly body: string | null
  /** The length of the body, where it is known without measuring the whole text. */
  readonly bytes?: number
  readonly etag?: string
  readonly location?: string
  /** The query of the next page. */
  readonly next?: string | null
  /** The query in its canonical form, where that may differ from the query that was sent. */
  readonly canonical?: string | null
  readonly replayed?: boolean
  /** The replay shows the row as it is now, because its answer was stored without the body. */
  readonly reread?: boolean
  /** The value of the Store-Position header: a replica that has reached this position shows what was written. */
  readonly position?: string | null
  /** Server-sent events, instead of a body. */
  readonly live?: LiveBody
}
