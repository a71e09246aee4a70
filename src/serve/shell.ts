import { countedFor } from '../call/counted-work.ts'
import type { PlainRequest, PlainResponse, RequestNote } from '../call/exchange.ts'
import type { RecentRequests } from '../console/requests/recent-requests.ts'
import type { Maybe } from '../maybe.ts'
import type { Problem } from '../problems.ts'
import { asProblem, problemResponse } from '../respond/problem-response.ts'
import type { AccessLog } from './access-log.ts'
import type { Cors } from './cors-headers.ts'
import type { Metrics } from './metrics.ts'
import { type Admission, overloaded } from './overload.ts'
import { withoutPrefix } from './prefix.ts'
import type { Probes } from './probes.ts'
import type { Tracing } from './tracing.ts'

export type Handle = (request: PlainRequest) => Maybe<PlainResponse>
/** Adds the headers of a deprecated version to an answer that the engine did not give. */
export type Signal = (path: string, headers: { [name: string]: string }) => void
/** A request as an adapter makes it, with an empty note that the engine fills in. */
export type ArrivedRequest = PlainRequest & { readonly note: RequestNote }

/** The part of the logger that the shell uses. */
export interface ShellLogger {
  error(details: { readonly id: string; readonly err: unknown }, message: string): void
  info(details: { readonly id: string; readonly status: number }, message: string): void
}

export interface ShellParts {
  /** What the paths of all URLs begin with. Requests come without it. */
  readonly prefix: string
  /** The engine's. */
  readonly handle: Handle
  readonly signal: Signal | null
  readonly admission: Admission
  readonly metrics: Metrics
  readonly logger: ShellLogger
  readonly accessLog: AccessLog | null
  /** What the console shows; null where there is none. */
  readonly recent: RecentRequests | null
  readonly cors: Cors | null
  readonly tracing: Tracing | null
  /** Null when probes have a port of their own. */
  readonly probes: Probes | null
}

export const emptyNote = (): RequestNote => ({
  route: null,
  version: null,
  account: null,
  subject: null,
  consumer: null,
  replayed: false,
  statements: 0,
  statementMs: 0,
})

/** Everything around the engine that does not depend on the adapter: overload, CORS, metrics, logs and the headers of every answer. */
export class Shell {
  readonly #parts: ShellParts

  constructor(parts: ShellParts) {
    this.#parts = parts
  }

  answer(request: ArrivedRequest): Maybe<PlainResponse> {
    const { probes, cors, admission } = this.#parts
    const probe = probes?.answer(request.method, request.path)
    if (probe) return this.#answerProbe(request, probe)
    const startedAt = performance.now()
    const preflight = cors?.preflight(request)
    if (preflight) return this.#finish(request, this.#signalled(request, preflight), startedAt)
    const begin = (): Maybe<PlainResponse> =>
      admission.enter(startedAt) ? this.#admitted(request, startedAt) : this.#refused(request, startedAt)
    return admission.inTurn(request, begin) ?? this.#refused(request, startedAt)
  }

  /** The answer to a request that is refused before it reaches the engine. */
  refuse(request: ArrivedRequest, error: unknown): PlainResponse {
    return this.#finish(request, this.#failed(request, error), performance.now())
  }

  /** The answer to bytes that could not be parsed as a request; `path` is null where it is not known. */
  refuseBytes(id: string, failure: Problem, path: string | null): PlainResponse {
    const { signal, metrics, accessLog, logger } = this.#parts
    const response = problemResponse(failure, id, this.#parts.prefix)
    const own = path === null ? null : withoutPrefix(path, this.#parts.prefix)
    if (own !== null) signal?.(own, response.headers)
    addCommonHeaders(id, response)
    addPrefix(this.#parts.prefix, response)
    metrics.count('none', emptyNote(), response.status, 0)
    if (accessLog) logger.info({ id, status: response.status }, 'no request')
    return response
  }

  #refused(request: ArrivedRequest, startedAt: number): PlainResponse {
    return this.#finish(request, this.#failed(request, overloaded()), startedAt)
  }

  #admitted(request: ArrivedRequest, startedAt: number): Maybe<PlainResponse> {
    let response: Maybe<PlainResponse>
    try {
      response = this.#handle(request)
    } catch (error) {
      response = this.#failed(request, error)
    }
    if (!(response instanceof Promise)) return this.#leave(request, response, startedAt)
    return response.then(
      (answer) => this.#leave(request, answer, startedAt),
      (error: unknown) => this.#leave(request, this.#failed(request, error), startedAt),
    )
  }

  #handle(request: ArrivedRequest): Maybe<PlainResponse> {
    const { tracing, handle } = this.#parts
    const { note } = request
    return countedFor(note, () =>
      tracing ? tracing.around(request, note, () => handle(request)) : handle(request),
    )
  }

  #leave(request: ArrivedRequest, response: PlainResponse, startedAt: number): PlainResponse {
    this.#parts.admission.leave()
    return this.#finish(request, response, startedAt)
  }

  /** Every answer but those of probes and unparsed bytes ends here, with the time it took. */
  #finish(request: ArrivedRequest, response: PlainResponse, startedAt: number): PlainResponse {
    const { cors, metrics, accessLog } = this.#parts
    const ms = performance.now() - startedAt
    addCommonHeaders(request.id, response)
    addPrefix(this.#parts.prefix, response)
    cors?.allow(request, response)
    metrics.count(request.method, request.note, response.status, ms)
    accessLog?.(request, response, request.note, ms)
    this.#keep(request, response.status, ms)
    return response
  }

  /** Pages, and the console itself, would take the places of what somebody looks for. */
  #keep({ id, method, note }: ArrivedRequest, status: number, ms: number): void {
    if (note.route === null && status < 400) return
    const { route, version, account, consumer, replayed, statements, statementMs } = note
    const asked = { route, version, account, consumer, replayed, statements, statementMs }
    this.#parts.recent?.add({ id, at: Date.now(), method, status, ms, ...asked })
  }

  #failed(request: ArrivedRequest, error: unknown): PlainResponse {
    const failure = asProblem(error)
    if (failure.type === 'unexpected')
      this.#parts.logger.error({ id: request.id, err: error }, 'request failed')
    return this.#signalled(request, problemResponse(failure, request.id, this.#parts.prefix))
  }

  #signalled(request: ArrivedRequest, response: PlainResponse): PlainResponse {
    this.#parts.signal?.(request.path, response.headers)
    return response
  }

  /** Probes are neither counted nor logged. */
  async #answerProbe(request: ArrivedRequest, pending: Maybe<PlainResponse>): Promise<PlainResponse> {
    const response = await Promise.resolve(pending).catch((error: unknown) => this.#failed(request, error))
    addCommonHeaders(request.id, response)
    return response
  }
}

/** The engine knows its paths without the prefix, also those that are stored with Idempotency-Keys. */
const addPrefix = (prefix: string, { headers }: PlainResponse): void => {
  if (prefix === '') return
  for (const name of ['Location', 'Content-Location'])
    if (headers[name]?.startsWith('/')) headers[name] = prefix + headers[name]
  if (headers.Link) headers.Link = headers.Link.replaceAll('</', `<${prefix}/`)
}

/** JSON loads nothing and is never framed. Pages set a policy of their own. */
const strictPolicy = "default-src 'none'; frame-ancestors 'none'"

/** The headers of every answer, refusals before routing included. */
const addCommonHeaders = (requestId: string, { headers }: PlainResponse): void => {
  headers['X-Request-Id'] = requestId
  headers['X-Content-Type-Options'] = 'nosniff'
  headers['Referrer-Policy'] ??= 'no-referrer'
  headers['Content-Security-Policy'] ??= strictPolicy
}
