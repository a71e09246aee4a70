import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import shop from '../../examples/shop/api.ts'
import type { Version } from '../../src/compile/model.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { type Caller, createCaller, type Row } from './openapi-caller.ts'
import { createJudge, type Document, type Judge } from './openapi-judge.ts'
import { shopContracts } from './openapi-shop.ts'

let api: TestApi
let key: string

beforeAll(async () => {
  // Counted, so that the rate headers are there; high, so that nothing is refused.
  api = await testApi(shop, { contracts: await shopContracts(), rate: '100000' })
  key = await api.key('acme', { scopes: ['*', 'products:write'] })
})
afterAll(() => api.close())

const versionNamed = (name: string): Version => {
  const version = api.service.model.versions.find((one) => one.name === name)
  if (!version) throw new Error(`the shop has no ${name}`)
  return version
}

describe.each(['v2', 'v1'])('what %s really does is what its document says', (name) => {
  let judge: Judge
  let caller: Caller
  beforeAll(() => {
    const version = versionNamed(name)
    const document = openapiOf(version, api.service.model) as Document
    judge = createJudge(document, name)
    caller = createCaller({ api, key, version, document, judge })
  })

  it('when everything is read, created, replaced, changed and deleted as its examples show', async () => {
    for (const operation of judge.operations) await caller.succeed(operation)
    expect(judge.operations.map(({ id }) => id).filter((id) => !judge.succeeded.has(id))).toEqual([])
  })

  it('when lists are filtered, sorted, cut into pages and read with all relations', async () => {
    for (const operation of judge.operations.filter(({ id }) => id.startsWith('list'))) {
      for (const query of await caller.queriesOf(operation)) {
        const { status } = await caller.call('GET', `${await caller.fillAgain(operation.path)}?${query}`)
        expect([query, status]).toEqual([query, 200])
      }
    }
  })

  it('when every operation is called without a key, without a scope and with a bad query', async () => {
    const weak = await api.key('acme', { scopes: ['nothing:read'] })
    for (const [index, operation] of judge.operations.entries()) {
      const path = await caller.fillAgain(operation.path)
      const body = operation.method === 'GET' || operation.method === 'DELETE' ? undefined : {}
      const call = (target: string, headers: { [name: string]: string } = {}) =>
        caller.call(operation.method, target, body, headers)
      expect((await call(path, { Authorization: '' })).status).toBe(401)
      // Only a few: many wrong keys from one address are soon refused.
      if (index < 3) expect((await call(path, { Authorization: 'Bearer nonsense' })).status).toBe(401)
      const open = !('x-required-scopes' in operation.told)
      const weakly = await call(path, { Authorization: `Bearer ${weak}` })
      expect([operation.id, weakly.status === 403]).toEqual([operation.id, !open])
      expect((await call(`${path}?unknown=1`, writeHeaders(operation.method))).status).toBe(400)
      expect((await call(path, { Accept: 'text/html', ...writeHeaders(operation.method) })).status).toBe(406)
    }
  })

  it('when rows do not exist, bodies are broken and media types are wrong', async () => {
    const nobody = '01980000-0000-7000-8000-00000000dead'
    for (const { path, method } of judge.operations) {
      const missing = path.replaceAll(/\{[^}]+\}/g, nobody)
      const writes = method !== 'GET' && method !== 'DELETE'
      if (missing !== path)
        expect(
          (await caller.call(method, missing, writes ? {} : undefined, writeHeaders(method))).status,
        ).toBe(404)
      if (!writes) continue
      const target = await caller.fillAgain(path)
      const send = (type: string, text: string) =>
        caller.callText(method, target, text, { 'Content-Type': type, ...writeHeaders(method) })
      expect((await send('application/json', '{"a":')).status).toBe(400)
      expect((await send('text/plain', '{}')).status).toBe(415)
      expect((await send('application/json', '{"no_such_field":1}')).status).toBe(422)
    }
    const long = `"${'x'.repeat(1_100_000)}"`
    expect((await caller.callText('POST', `/${name}/orders`, long)).status).toBe(413)
  })

  it('when includes, cursors, keys and conditions are refused', async () => {
    for (const operation of judge.operations) await caller.refuse(operation)
  })

  it('when the shop’s own rules are broken', async () => {
    const payer = versionNamed(name).viewOf.get('customers')?.name ?? ''
    const one = await caller.create(payer)
    const twin = await caller.call('POST', `/${name}/${payer}`, {
      ...(await caller.newBody(payer)),
      email: one.email,
    })
    expect(twin.status).toBe(409)
    const order: Row = await caller.create('orders')
    const owner = String(order[`${payer.slice(0, -1)}_id`])
    expect((await caller.call('DELETE', `/${name}/${payer}/${owner}`)).status).toBe(409)
    expect((await caller.call('PATCH', `/${name}/orders/${order.id}`, { status: 'shipped' })).status).toBe(
      409,
    )
    await caller.call('PATCH', `/${name}/orders/${order.id}`, { status: 'cancelled' })
    expect((await caller.call('DELETE', `/${name}/orders/${order.id}`)).status).toBe(409)
    const item = { ...(await caller.newBody('order-items')), order_id: order.id }
    expect((await caller.call('POST', `/${name}/order-items`, item)).status).toBe(409)
    const payment = await caller.create('payments')
    const refund = { amount: Number(payment.amount) + 1 }
    const tooMuch = await caller.call('POST', `/${name}/payments/${payment.id}/refunds`, refund, {
      'Idempotency-Key': 'too-much',
    })
    expect(tooMuch).toMatchObject({ status: 409, body: { type: '/problems/refund-exceeds-payment' } })
  })
})

/** What a write needs to come as far as its body. */
const writeHeaders = (method: string): { [name: string]: string } => {
  if (method === 'POST') return { 'Idempotency-Key': crypto.randomUUID() }
  return method === 'GET' ? {} : { 'If-Match': '*' }
}
