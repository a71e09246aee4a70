import type { Answering } from '../answer/answering.ts'
import type { AuditReader } from '../audit/audit-scan.ts'
import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import type { Model } from '../compile/model.ts'
import type { EventReader } from '../events/event-scan.ts'
import type { EventSignal } from '../events/event-signal.ts'
import type { EventStreams } from '../events/event-streams.ts'
import type { Authenticator } from '../guard/authenticate.ts'
import type { RateLimiter } from '../guard/rate.ts'
import type { Outdated } from '../lifecycle/outdated.ts'
import type { Retirement } from '../lifecycle/retirement.ts'
import type { Maybe } from '../maybe.ts'
import type { Reader } from '../read/reader.ts'
import type { Writer } from '../write/writer.ts'
import type { EventCounters } from './metrics.ts'
import type { RequestContext } from './request-context.ts'
import type { Router } from './route.ts'

/** What a write tells the standbys that answer reads. */
export interface Replicas {
  storeFor(account: string, after: string | undefined): Reader['store'] | null
  writing(account: string): void
  wrote(account: string): Promise<string | null>
}

/** Everything that handling a request needs, made once before a port opens. */
export interface Engine {
  readonly model: Model
  readonly router: Router
  readonly writer: Writer
  readonly answering: Answering
  readonly events: EventReader & { readonly signal: EventSignal }
  readonly audit: AuditReader & Pick<Reader, 'seal'>
  readonly streams: EventStreams
  /** Where the engine reads, for a GET of this account. `after` is the value of a Store-Position header. */
  readerFor(account: string, after: string | undefined): Reader
  /** Standbys that answer reads; null unless NOUNKIT_READ_URL names any. */
  readonly replicas: Replicas | null
  /** For metrics; null where the API has no events. */
  readonly eventCounters: EventCounters | null
  readonly authenticator: Authenticator
  readonly rates: RateLimiter
  readonly retirement: Retirement
  readonly outdated: Outdated
  /** The answer of an index, a document or a page; null for any other path. */
  document(request: PlainRequest): Maybe<PlainResponse | null>
  /** Throws the 404 or 410 of a path without a resource or a page. */
  missing(path: string): never
  /** Logs a failure that the caller did not cause. */
  report(error: unknown, request: PlainRequest): void
  /** Adds rate limit and deprecation headers to a response, and records the usage. */
  conclude(request: PlainRequest, response: PlainResponse, context: RequestContext): void
  /** Adds deprecation headers to an answer that the engine did not give: an overload, a URL that is too long, a preflight. */
  signal(path: string, headers: PlainResponse['headers']): void
  handle(request: PlainRequest): Maybe<PlainResponse>
}
