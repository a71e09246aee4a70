import type { Model } from '../compile/model.ts'
import type { Authenticator } from '../guard/authenticate.ts'
import type { RateLimiter } from '../guard/rate.ts'
import type { Outdated } from '../lifecycle/outdated.ts'
import type { Retirement } from '../lifecycle/use.ts'
import type { Maybe } from '../maybe.ts'
import type { PlainRequest, PlainResponse } from '../request/exchange.ts'
import type { Router } from '../request/route.ts'
import type { Writer } from '../write/writer.ts'
import type { RequestContext } from './request-context.ts'

/** Everything a request meets on its way, made once before a port opens. */
export interface Engine {
  readonly model: Model
  readonly router: Router
  readonly writer: Writer
  readonly authenticator: Authenticator
  readonly rates: RateLimiter
  readonly retirement: Retirement
  readonly outdated: Outdated
  /** An index, a document or a page; null where the path is none of them. */
  document(request: PlainRequest): Maybe<PlainResponse | null>
  missing(path: string): never
  /** Tells the log of a failure that was not the caller's. */
  report(error: unknown, request: PlainRequest): void
  /** Adds what every response carries, and counts it. */
  conclude(request: PlainRequest, response: PlainResponse, context: RequestContext): void
  /** Adds the signals of a deprecated version to an answer that was given without it: too busy, too long, a preflight. */
  signal(path: string, headers: PlainResponse['headers']): void
  handle(request: PlainRequest): Maybe<PlainResponse>
}
