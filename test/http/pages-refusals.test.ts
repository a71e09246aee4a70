import { describe, expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'

const json = 'application/json'
const html = 'text/html'
/** Each with the media types it is shown in. */
const places: readonly (readonly [path: string, ...types: string[]])[] = [
  ['/', json, html],
  ['/v2', json],
  ['/v1', json],
  ['/v2/openapi.json', json],
  ['/v1/openapi.json', json],
  ['/docs', html],
  ['/docs/v1', html],
  ['/docs/model', html],
  ['/docs/model/v1', html],
  ['/docs/versions', html],
  ['/docs/migrations/v1-to-v2', html, 'text/markdown', 'text/plain'],
  ['/problems', html, json],
  ['/problems/not-found', html, json],
]
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

describeServing('indexes, documents and pages', (served) => {
  const open = (path: string, accept: string | null = null, method = 'GET') =>
    served.call(method, path, { as: null, headers: accept === null ? {} : { Accept: accept } })

  describe.each(places)('%s', (path, ...types) => {
    test('refuses a parameter that is unknown, empty or repeated', async () => {
      const unknown = await open(`${path}?limit=1`)
      expect([unknown.refusal, unknown.faults]).toEqual([[400, 'bad-query'], ['limit']])
      expect(unknown.problem.errors?.[0]?.code).toBe('unknown')
      const both = await open(`${path}?a=&b=1&b=2`)
      expect(both.problem.errors?.map(({ code }) => code)).toEqual(['empty', 'repeated', 'unknown'])
      expect((await open(`${path}?`)).status).toBe(200)
    })

    test('is shown in the media types it has, and in no other', async () => {
      for (const type of types) {
        const shown = await open(path, type)
        expect([shown.status, shown.headers.get('content-type')?.split(';')[0]]).toEqual([200, type])
      }
      for (const accept of [browser, '*/*', `${types[0]?.split('/')[0]}/*`, `image/png, ${types[0]};q=0.1`])
        expect((await open(path, accept)).status, accept).toBe(200)
      for (const accept of [
        'image/png',
        'application/xml, audio/*',
        types.map((one) => `${one};q=0`).join(),
      ]) {
        const refused = await open(path, accept)
        expect(refused.refusal, accept).toEqual([406, 'not-acceptable'])
        for (const type of types) expect(refused.problem.detail).toContain(type)
      }
      expect((await open(path, 'image/png', 'HEAD')).status).toBe(406)
    })

    test('is refused for its method before its media type, and for that before its query', async () => {
      expect((await open(`${path}?x=1`, 'image/png', 'DELETE')).status).toBe(405)
      expect((await open(`${path}?x=1`, 'image/png')).status).toBe(406)
      expect((await open(`${path}?x=1`, 'image/png', 'OPTIONS')).status).toBe(204)
    })
  })

  test('what is not there is 404, whatever else is wrong', async () => {
    for (const path of [
      '/docs/nothing',
      '/problems/no-such-problem',
      '/v9/openapi.json',
      '/docs/migrations/v1',
    ])
      expect((await open(`${path}?x=1`, 'image/png')).refusal).toEqual([404, 'not-found'])
  })

  test('a refused document of a deprecated version carries its signals', async () => {
    expect((await open('/v1/openapi.json?x=1')).headers.get('deprecation')).toBe('@1780272000')
  })

  test('a file that a page loads is sent to anyone', async () => {
    const file = /\/assets\/page-\w+\.css/.exec((await open('/docs')).text)?.[0] ?? ''
    expect((await open(`${file}?cache=1`, 'image/png')).status).toBe(200)
  })
})
