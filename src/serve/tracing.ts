import type { Span, SpanOptions } from '@opentelemetry/api'
import type { PlainRequest, PlainResponse, RequestNote } from '../call/exchange.ts'
import type { Maybe } from '../maybe.ts'

type Api = typeof import('@opentelemetry/api')

export interface Tracing {
  /** Runs a request within a span that continues the caller's trace. */
  around(request: PlainRequest, note: RequestNote, run: () => Maybe<PlainResponse>): Maybe<PlainResponse>
}

/** Null unless the user has installed and set up OpenTelemetry, so that others pay nothing for it. */
export const openTracing = async (): Promise<Tracing | null> => {
  if (!isLoaded()) return null
  const api: Api | null = await import('@opentelemetry/api').catch(() => null)
  return api && isSetUp(api) ? createTracing(api) : null
}

/** OpenTelemetry registers itself under a global symbol. Without that symbol, its package need not be loaded. */
const isLoaded = (): boolean =>
  Object.getOwnPropertySymbols(globalThis).some(({ description }) => description?.startsWith(globalName))

const globalName = 'opentelemetry.js.api.'

const isSetUp = ({ trace, ProxyTracerProvider }: Api): boolean => {
  const provider = trace.getTracerProvider()
  const noop = new ProxyTracerProvider().getDelegate()
  return provider instanceof ProxyTracerProvider ? provider.getDelegate() !== noop : provider !== noop
}

const createTracing = ({ trace, context, propagation, SpanKind, SpanStatusCode }: Api): Tracing => {
  const tracer = trace.getTracer('nounkit')

  const finish = (
    span: Span,
    request: PlainRequest,
    note: RequestNote,
    response: PlainResponse,
  ): PlainResponse => {
    if (note.route !== null) {
      span.updateName(`${request.method} ${note.route}`)
      span.setAttribute('http.route', note.route)
    }
    if (note.version !== null) span.setAttribute('nounkit.version', note.version)
    if (note.consumer !== null) span.setAttribute('nounkit.consumer', note.consumer)
    span.setAttribute('http.response.status_code', response.status)
    if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    return response
  }
  const fail = (span: Span, error: unknown): never => {
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
    throw error
  }

  return {
    around(request, note, run) {
      const parent = propagation.extract(context.active(), request.headers)
      const options: SpanOptions = {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': request.method, 'url.path': request.path },
      }
      const span = tracer.startSpan(request.method, options, parent)
      try {
        const response = context.with(trace.setSpan(parent, span), run)
        if (!(response instanceof Promise)) return finish(span, request, note, response)
        return response.then(
          (answer) => finish(span, request, note, answer),
          (error: unknown) => fail(span, error),
        )
      } catch (error) {
        return fail(span, error)
      }
    },
  }
}
