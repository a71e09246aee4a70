import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import type { Row } from '../support/serving.ts'
import { plainScopes, trade } from '../support/trade.ts'
import { createJudge, type Document } from './openapi-judge.ts'

let api: TestApi
beforeAll(async () => {
  // Counted, so that the rate headers are there; high, so that nothing is refused.
  api = await testApi(trade, { rate: '100000' })
})
afterAll(() => api.close())

describe.each(['v2', 'v1'])('what %s shows of fields that need a scope is what its document says', (name) => {
  test.each<[string, readonly string[]]>([
    ['without the scopes', plainScopes],
    ['with one of them', [...plainScopes, 'trade:finance']],
    ['with all of them', [...plainScopes, 'trade:finance', 'buyers:private']],
  ])('%s', async (_, scopes) => {
    const { model } = api.service
    const version = model.versions.find((one) => one.name === name) ?? model.head
    const judge = createJudge(openapiOf(version, model) as Document, name)
    const key = await api.key('acme', { scopes })
    const call = async (method: string, path: string, sent?: object, as: string | null = key) => {
      const request = new Request(`http://localhost/${name}${path}`, {
        method,
        headers: {
          ...(as ? { authorization: `Bearer ${as}` } : {}),
          ...(sent ? { 'content-type': 'application/json' } : {}),
        },
        ...(sent ? { body: JSON.stringify(sent) } : {}),
      })
      const response = await api.fetch(request.clone())
      const body = await response.text()
      judge.hear(request, sent, response, body)
      return { status: response.status, row: (body === '' ? null : JSON.parse(body).data) as Row }
    }
    const finance = scopes.includes('trade:finance')
    const cost = name === 'v1' ? 'spent' : 'cost'
    const buyer = (await call('POST', '/buyers', { name: 'a' })).row
    const { row: deal } = await call('POST', '/deals', {
      title: `${name} ${scopes.length}`,
      buyer_id: buyer.id,
    })
    await call('POST', `/deals/${deal.id}/lines`, { text: 'x' })
    for (const path of [
      '/deals',
      `/deals/${deal.id}?include=buyer,lines`,
      `/buyers/${buyer.id}?include=deals`,
    ])
      expect((await call('GET', path)).status).toBe(200)
    const shown = (await call('GET', `/deals/${deal.id}`)).row
    expect((await call('PUT', `/deals/${deal.id}`, shown)).status).toBe(200)
    const allowed = finance ? 200 : 403
    expect((await call('PATCH', `/deals/${deal.id}`, { [cost]: 3 })).status).toBe(allowed)
    expect((await call('GET', `/deals?filter%5B${cost}%5D=3&sort=${cost}`)).status).toBe(allowed)
    const balance = name === 'v1' ? '3' : 3
    expect((await call('POST', '/ledgers', { title: 'x', balance })).status).toBe(finance ? 201 : 403)
    expect((await call('GET', '/goods', undefined, null)).status).toBe(200)
    expect((await call('GET', '/goods?filter%5Bpurchase_price%5D=3', undefined, null)).status).toBe(401)
  })
})
