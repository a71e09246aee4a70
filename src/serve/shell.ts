import type { Maybe } from '../maybe.ts'
import type { Problem } from '../problems.ts'
import type { PlainRequest, PlainResponse, RequestNote } from '../request/exchange.ts'
import { asProblem, problemResponse } from '../respond/problem-response.ts'
import type { AccessLog } from './access-log.ts'
import type { Cors } from './cors-headers.ts'
import type { Metrics } from './metrics.ts'
import { type Admission, overloaded } from './overload.ts'
import type { Probes } from './probes.ts'
import type { Tracing } from './tracing.ts'

export type Handle = (request: PlainRequest) => Maybe<PlainResponse>
/** Adds the signals of a deprecated version to an answer that the engine did not give. */
export type Signal = (path: string, headers: { [name: string]: string }) => void
/** A request as an adapter makes it: with a note to be written on. */
export type ArrivedRequest = PlainRequest & { readonly note: RequestNote }

/** What stands around the engine whatever carries the request: the ceiling, CORS, figures, logs, headers every answer has. */
export interface Shell {
  answer(request: ArrivedRequest): Maybe<PlainResponse>
  /** An answer that never reached the engine: decorated and counted like the others. */
  refuse(request: ArrivedRequest, error: unknown): PlainResponse
  /** The answer to bytes that never became a request; the path is null where it is not known. */
  refuseBytes(id: string, failure: Problem, path: string | null): PlainResponse
}

/** The part of the logger that the shell uses. */
export interface ShellLogger {
  error(details: { readonly id: string; readonly err: unknown }, message: string): void
  info(details: { readonly id: string; readonly status: number }, message: string): void
}

export interface ShellParts {
  readonly handle: Handle
  readonly signal: Signal | null
  readonly admission: Admission
  readonly metrics: Metrics
  readonly logger: ShellLogger
  readonly accessLog: AccessLog | null
  readonly cors: Cors | null
  readonly tracing: Tracing | null
  /** Null when they are served on a port of their own. */
  readonly probes: Probes | null
}

export const emptyNote = (): RequestNote => ({
  route: null,
  version: null,
  account: null,
  consumer: null,
  replayed: false,
})

export const createShell = (parts: ShellParts): Shell => {
  const { handle, signal, admission, metrics, logger, accessLog, cors, tracing, probes } = parts

  const failed = (request: ArrivedRequest, error: unknown): PlainResponse => {
    const failure = asProblem(error)
    if (failure.type === 'unexpected') logger.error({ id: request.id, err: error }, 'request failed')
    return signalled(request, problemResponse(failure, request.id))
  }
  const signalled = (request: ArrivedRequest, response: PlainResponse): PlainResponse => {
    signal?.(request.path, response.headers)
    return response
  }
  const settle = (request: ArrivedRequest, response: PlainResponse, startedAt: number): PlainResponse => {
    const ms = performance.now() - startedAt
    decorate(request.id, response)
    cors?.allow(request, response)
    metrics.count(request.method, request.note, response.status, ms)
    accessLog?.(request, response, request.note, ms)
    return response
  }
  const run = (request: ArrivedRequest): Maybe<PlainResponse> =>
    tracing ? tracing.around(request, request.note, () => handle(request)) : handle(request)

  const admitted = (request: ArrivedRequest, startedAt: number): Maybe<PlainResponse> => {
    let response: Maybe<PlainResponse>
    try {
      response = run(request)
    } catch (error) {
      response = failed(request, error)
    }
    if (response instanceof Promise) return later(request, response, startedAt)
    admission.leave()
    return settle(request, response, startedAt)
  }
  const later = (request: ArrivedRequest, pending: Promise<PlainResponse>, startedAt: number) => {
    const leave = (response: PlainResponse): PlainResponse => {
      admission.leave()
      return settle(request, response, startedAt)
    }
    return pending.then(leave, (error: unknown) => leave(failed(request, error)))
  }

  const probed = async (request: ArrivedRequest, pending: Maybe<PlainResponse>): Promise<PlainResponse> => {
    const response = await Promise.resolve(pending).catch((error: unknown) => failed(request, error))
    decorate(request.id, response)
    return response
  }

  return {
    answer(request) {
      const probe = probes?.answer(request.method, request.path)
      if (probe) return probed(request, probe)
      const startedAt = performance.now()
      const preflight = cors?.preflight(request)
      if (preflight) return settle(request, signalled(request, preflight), startedAt)
      if (!admission.enter()) return settle(request, failed(request, overloaded()), startedAt)
      return admitted(request, startedAt)
    },
    refuse: (request, error) => settle(request, failed(request, error), performance.now()),
    refuseBytes(id, failure, path) {
      const response = problemResponse(failure, id)
      if (path !== null) signal?.(path, response.headers)
      decorate(id, response)
      metrics.count('none', emptyNote(), response.status, 0)
      if (accessLog) logger.info({ id, status: response.status }, 'no request')
      return response
    },
  }
}

/** Pages bring a content policy of their own; data needs none but this: it loads nothing and is framed by nobody. */
const strictPolicy = "default-src 'none'; frame-ancestors 'none'"

const decorate = (requestId: string, { headers }: PlainResponse): void => {
  headers['X-Request-Id'] = requestId
  headers['X-Content-Type-Options'] = 'nosniff'
  headers['Referrer-Policy'] = 'no-referrer'
  headers['Content-Security-Policy'] ??= strictPolicy
}
