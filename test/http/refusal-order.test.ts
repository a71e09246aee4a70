import { expect, test } from 'vitest'
import { type CallOptions, describeServing } from '../support/serving.ts'
import { moveOrder, newCustomer, newOrder, newProduct, noId, unique } from '../support/shop-rows.ts'

const oversize = 'x'.repeat(1_048_577)
const html = { Accept: 'text/html' }

describeServing('the order of refusal', (served) => {
  /** Each call has one fault fewer than the one before it; the first fault in the order is reported. */
  const expectInTurn = async (steps: readonly [string, string, CallOptions, readonly [number, string]][]) => {
    for (const [method, path, options, refusal] of steps) {
      expect((await served.call(method, path, options)).refusal, `${method} ${path}`).toEqual(refusal)
    }
  }

  test('path, method, credentials, scope, size, media type, Accept, syntax, query, key', async () => {
    const reader = await served.api.key('acme', { scopes: ['payments:read'] })
    const xml = { ...html, 'Content-Type': 'text/xml' }
    const path = '/v2/payments?x=1'
    await expectInTurn([
      ['PUT', '/v2/payment?x=1', { as: null, body: oversize, headers: xml }, [404, 'not-found']],
      ['PUT', path, { as: null, body: oversize, headers: xml }, [405, 'method-not-allowed']],
      ['POST', path, { as: null, body: oversize, headers: xml }, [401, 'credentials-missing']],
      ['POST', path, { as: reader, body: oversize, headers: xml }, [403, 'scope-missing']],
      ['POST', path, { body: oversize, headers: xml }, [413, 'body-too-large']],
      ['POST', path, { body: '{', headers: xml }, [415, 'unsupported-media-type']],
      ['POST', path, { body: '{', headers: html }, [406, 'not-acceptable']],
      ['POST', path, { body: '{' }, [400, 'malformed-json']],
      ['POST', path, { body: {} }, [400, 'bad-query']],
      ['POST', '/v2/payments', { body: {} }, [400, 'idempotency-key-missing']],
      [
        'POST',
        '/v2/payments',
        { body: {}, headers: { 'Idempotency-Key': unique() } },
        [422, 'validation-failed'],
      ],
    ])
  })

  test('of a read: credentials, Accept, query, row', async () => {
    const path = `/v2/orders/${noId}?limit=1`
    await expectInTurn([
      ['GET', path, { as: null, headers: html }, [401, 'credentials-missing']],
      ['GET', path, { headers: html }, [406, 'not-acceptable']],
      ['GET', path, {}, [400, 'bad-query']],
      ['GET', `/v2/orders/${noId}`, {}, [404, 'not-found']],
    ])
  })

  test('of a change: query, row, precondition, validation, conflict', async () => {
    const product = await newProduct(served)
    const taken = await newProduct(served)
    const path = `/v2/products/${product.id}`
    const stale = { 'If-Match': '"9"' }
    const fresh = { 'If-Match': '"1"' }
    await expectInTurn([
      ['PATCH', `/v2/products/${noId}?x=1`, { body: { price: -1 } }, [400, 'bad-query']],
      ['PATCH', `/v2/products/${noId}`, { body: { price: -1 } }, [404, 'not-found']],
      ['PUT', `/v2/products/${noId}`, { body: { price: -1 }, headers: stale }, [404, 'not-found']],
      ['PATCH', path, { body: { price: -1 } }, [428, 'precondition-required']],
      ['PATCH', path, { body: { price: -1 }, headers: stale }, [412, 'precondition-failed']],
      ['PATCH', path, { body: { sku: taken.sku, price: -1 }, headers: fresh }, [422, 'validation-failed']],
      ['PATCH', path, { body: { sku: taken.sku }, headers: fresh }, [409, 'unique-conflict']],
      ['DELETE', `/v2/products/${noId}`, {}, [404, 'not-found']],
      ['DELETE', path, {}, [428, 'precondition-required']],
    ])
  })

  test('of a create under an owner: owner, validation, reference, conflict', async () => {
    const order = await newOrder(served)
    await moveOrder(served, order.id, 'placed')
    const { id: product_id } = await newProduct(served)
    const items = `/v2/orders/${order.id}/items`
    const fields = { quantity: 1, unit_price: 1 }
    await expectInTurn([
      ['POST', `/v2/orders/${noId}/items`, { body: { quantity: 0 } }, [404, 'not-found']],
      ['POST', `/v2/orders/${noId}/items`, { body: { ...fields, product_id } }, [404, 'not-found']],
      ['POST', items, { body: { product_id, quantity: 0, unit_price: 1 } }, [422, 'validation-failed']],
      ['POST', items, { body: { ...fields, product_id: noId } }, [422, 'validation-failed']],
      ['POST', items, { body: { ...fields, product_id } }, [409, 'state-conflict']],
    ])
  })

  test('a reference to a missing row is reported before a unique conflict or a move that is not allowed', async () => {
    const { email } = await newCustomer(served)
    const taken = await served.call('POST', '/v2/customers', {
      body: { name: 'G', email, referrer_id: noId },
    })
    expect([taken.status, taken.faults]).toEqual([422, ['#/referrer_id']])
    const order = await newOrder(served)
    const moved = await served.call('PATCH', `/v2/orders/${order.id}`, {
      body: { status: 'shipped', customer_id: noId },
    })
    expect([moved.status, moved.faults]).toEqual([422, ['#/customer_id']])
  })

  test('a hook is not asked about an owner that does not exist', async () => {
    const answer = await served.call('POST', `/v2/payments/${noId}/refunds`, {
      body: { amount: 5 },
      headers: { 'Idempotency-Key': unique() },
    })
    expect(answer.refusal).toEqual([404, 'not-found'])
  })
})
