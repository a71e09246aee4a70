import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { belongsTo, hasMany } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing } from '../support/serving.ts'

const articles = resource('articles', {
  shared: true,
  fields: { title: z.string().max(2_000), tags: z.array(z.array(z.string())).default([]) },
  relations: { remarks: hasMany('remarks') },
  scopes: { read: 'public', POST: 'articles:publish' },
  cacheControl: 'public, max-age=60',
  limits: { pageDefault: 2, pageMax: 3, bodyBytes: 1_000 },
  methods: ['GET', 'POST'],
})
const remarks = resource('remarks', {
  fields: { text: z.string().max(100) },
  relations: { article: belongsTo('articles') },
  idempotencyKey: 'required',
})
const notices = resource('notices', {
  shared: true,
  fields: { text: z.string().max(100) },
  scopes: { write: 'authenticated' },
})
const declaration = api('press', {
  resources: [articles, remarks, notices],
  limits: { jsonDepth: 3, pageDefault: 5, idempotencyHours: 1 },
})

/** Options that a declaration may set instead of a default. */
describeServing(
  'declared',
  (served) => {
    test('page sizes, per resource and per API', async () => {
      for (let at = 0; at < 4; at++) await served.make('/v1/articles', { title: `t${at}` })
      expect((await served.get('/v1/articles')).page.limit).toBe(2)
      expect((await served.get('/v1/articles?limit=50')).page.limit).toBe(3)
      expect((await served.get('/v1/articles?limit=50')).rows).toHaveLength(3)
      expect((await served.get('/v1/remarks')).page.limit).toBe(5)
      expect((await served.get('/v1/remarks?limit=200')).page.limit).toBe(100)
    })

    test('the size of a body and the depth of JSON', async () => {
      const large = await served.call('POST', '/v1/articles', { body: { title: 'x'.repeat(1_000) } })
      expect(large.refusal).toEqual([413, 'body-too-large'])
      expect(large.problem.limit).toBe(1_000)
      expect(
        (await served.call('POST', '/v1/articles', { body: { title: 't', tags: [['a']] } })).status,
      ).toBe(201)
      const deep = await served.call('POST', '/v1/articles', { body: { title: 't', tags: [[['a']]] } })
      expect(deep.refusal).toEqual([400, 'malformed-json'])
    })

    test('a shared resource is written with its scope by name, or by everyone where it is declared so', async () => {
      const all = await served.api.key('globex', { scopes: ['*'] })
      const publishing = await served.call('POST', '/v1/articles', { body: { title: 't' }, as: all })
      expect(publishing.refusal).toEqual([403, 'scope-missing'])
      expect(publishing.problem.scope).toBe('articles:publish')
      const none = await served.api.key('globex', { scopes: ['remarks:read'] })
      await served.make('/v1/notices', { text: 'closed today' }, { as: none })
    })

    test('caching and public reading', async () => {
      const { id } = await served.make('/v1/articles', { title: 'public?' })
      const anonymous = await served.get(`/v1/articles/${id}`, { as: null })
      expect([anonymous.status, anonymous.data.id]).toEqual([200, id])
      expect(anonymous.headers.get('cache-control')).toBe('public, max-age=60')
      expect((await served.get('/v1/articles', { as: null })).rows).not.toEqual([])
      expect((await served.get(`/v1/articles/${id}/remarks`, { as: null })).status).toBe(401)
      expect((await served.call('POST', '/v1/articles', { body: { title: 't' }, as: null })).status).toBe(401)
    })

    test('a scope for one method', async () => {
      const writer = await served.api.key('acme', { scopes: ['articles:write'] })
      const refused = await served.call('POST', '/v1/articles', { body: { title: 't' }, as: writer })
      expect(refused.refusal).toEqual([403, 'scope-missing'])
      const publisher = await served.api.key('acme', { scopes: ['articles:publish'] })
      const body = { title: 't' }
      expect((await served.call('POST', '/v1/articles', { body, as: publisher })).status).toBe(201)
    })

    test('the methods offered', async () => {
      const { id } = await served.make('/v1/articles', { title: 't' })
      const answer = await served.call('DELETE', `/v1/articles/${id}`)
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    })

    test('no path without a version, where none is pinned', async () => {
      const answer = await served.get('/articles')
      expect(answer.refusal).toEqual([404, 'not-found'])
      expect(answer.problem.detail).toContain('/v1/articles')
    })
  },
  { declaration },
)
