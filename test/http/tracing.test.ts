import { type Attributes, ROOT_CONTEXT, type Span, type SpanOptions, trace } from '@opentelemetry/api'
import { afterAll, expect, test } from 'vitest'
import { openTracing } from '../../src/serve/tracing.ts'
import { listeningShop } from '../support/listening-shop.ts'
import { describeStores } from '../support/stores.ts'

describeStores('tracing', (store) => {
  type Finished = { name: string; attributes: Attributes; ended: boolean; failed: boolean }
  const spans: Finished[] = []

  /** The smallest tracer provider that records the spans it gets. */
  const provider = {
    getTracer: () => ({
      startSpan(name: string, options: SpanOptions = {}): Span {
        const record: Finished = { name, attributes: { ...options.attributes }, ended: false, failed: false }
        spans.push(record)
        const span: Span = {
          spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }),
          setAttribute(key, value) {
            record.attributes[key] = value
            return span
          },
          setAttributes: () => span,
          addEvent: () => span,
          addLink: () => span,
          addLinks: () => span,
          setStatus() {
            record.failed = true
            return span
          },
          updateName(changed) {
            record.name = changed
            return span
          },
          end() {
            record.ended = true
          },
          isRecording: () => true,
          recordException() {},
        }
        return span
      },
      startActiveSpan: () => {
        throw new Error(`not used: ${ROOT_CONTEXT}`)
      },
    }),
  }

  afterAll(() => trace.disable())

  test('without a tracer that is set up there is nothing to pay', async () => {
    expect(await openTracing()).toBe(null)
  })

  test('with one, a request is a span named after its route, with status, version and consumer', async () => {
    trace.setGlobalTracerProvider(provider)
    const shop = await listeningShop({ databaseUrl: await store.url() })
    const call = (path: string) =>
      fetch(shop.server.url + path, { headers: { Authorization: `Bearer ${shop.key}` } })
    await call('/v2/customers/nobody')
    await call('/v2/products?limit=1')
    await shop.close()
    expect(spans.map(({ name, ended }) => [name, ended])).toEqual([
      ['GET /customers/{id}', true],
      ['GET /products', true],
    ])
    expect(spans[0]?.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/customers/{id}',
      'http.response.status_code': 404,
      'nounkit.version': 'v2',
      'nounkit.consumer': expect.stringMatching(/^key_/),
    })
    expect(JSON.stringify(spans)).not.toContain(shop.key)
  })
})
