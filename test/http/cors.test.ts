import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ListeningShop, listeningShop } from '../support/listening-shop.ts'
import { describeWalked } from '../support/stores.ts'

describeWalked('CORS', (store) => {
  const origin = 'https://app.example'
  const preflight = (from: string) => ({
    method: 'OPTIONS',
    headers: {
      Origin: from,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization',
    },
  })

  describe('not declared', () => {
    let shop: ListeningShop
    beforeAll(async () => {
      shop = await listeningShop({ databaseUrl: await store.url() })
    })
    afterAll(() => shop.close())

    test('no answer lets another site read it', async () => {
      for (const init of [preflight(origin), { headers: { Origin: origin } }]) {
        const answer = await fetch(`${shop.server.url}/v2/products`, init)
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    })
  })

  describe('declared for one origin', () => {
    let shop: ListeningShop
    beforeAll(async () => {
      shop = await listeningShop({
        databaseUrl: await store.url(),
        declare: (declared) => ({ ...declared, cors: { origins: [origin], maxAgeSeconds: 60 } }),
      })
    })
    afterAll(() => shop.close())

    test('its preflight is answered without a key', async () => {
      const answer = await fetch(`${shop.server.url}/v2/products/1`, preflight(origin))
      expect(answer.status).toBe(204)
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
      expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH')
      expect(answer.headers.get('access-control-allow-headers')?.split(', ')).toEqual([
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'If-Match',
        'If-None-Match',
        'Last-Event-ID',
        'Store-Position',
        'traceparent',
        'tracestate',
      ])
      expect(answer.headers.get('access-control-max-age')).toBe('60')
    })

    test('its pages may read the answer and its headers; caches keep origins apart', async () => {
      const answer = await fetch(`${shop.server.url}/v2/products`, {
        headers: { Origin: origin, Authorization: `Bearer ${shop.key}` },
      })
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ') ?? []
      expect(exposed).toEqual(
        expect.arrayContaining([
          'Deprecation',
          'ETag',
          'Idempotent-Replayed',
          'Link',
          'Location',
          'Retry-After',
          'Sunset',
          'X-Request-Id',
        ]),
      )
      const own = [...answer.headers.keys()].filter(
        (name) => !/^(access-control|content|cache|date)/.test(name),
      )
      const hidden = own.filter((name) => !exposed.some((one) => one.toLowerCase() === name))
      expect(hidden).toEqual([
        'connection',
        'keep-alive',
        'referrer-policy',
        'vary',
        'x-content-type-options',
      ])
      expect(answer.headers.get('vary')).toContain('Origin')
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    })

    test('problems can be read by its pages too', async () => {
      const answer = await fetch(`${shop.server.url}/v2/products`, { headers: { Origin: origin } })
      expect(answer.status).toBe(401)
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    })

    test('another origin gets nothing', async () => {
      for (const init of [
        preflight('https://evil.example'),
        { headers: { Origin: 'https://evil.example' } },
      ]) {
        const answer = await fetch(`${shop.server.url}/v2/products`, init)
        expect(answer.headers.has('access-control-allow-origin')).toBe(false)
      }
    })
  })
})
