import { expect, test } from 'vitest'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { Problem } from '../../src/problems.ts'
import { readKey } from '../../src/write/idempotency.ts'
import { storeForms } from '../support/databases.ts'
import { describeServing } from '../support/serving.ts'
import { moveOrder, newCustomer, newOrder, newPayment, noId, unique } from '../support/shop-rows.ts'
import { until } from '../support/until.ts'

describeServing(
  'Idempotency-Key',
  (served) => {
    const post = (body: unknown, key: string, path = '/v2/customers') =>
      served.call('POST', path, { body, headers: { 'Idempotency-Key': key } })
    const fields = () => ({ name: 'Key', email: `${unique()}@example.com` })
    const rowsWith = async (email: string) => (await served.get(`/v2/customers?filter[email]=${email}`)).rows

    test('a second POST with the same key replays the first response and inserts no row', async () => {
      const [body, key] = [fields(), unique()]
      const first = await post(body, key)
      const second = await post(body, key)
      expect(first.status).toBe(201)
      expect(first.headers.get('idempotent-replayed')).toBeNull()
      expect(first.headers.get('cache-control')).toBe('private, no-cache')
      expect([second.status, second.text]).toEqual([201, first.text])
      for (const name of ['location', 'etag', 'content-type'])
        expect(second.headers.get(name)).toBe(first.headers.get(name))
      expect(second.headers.get('idempotent-replayed')).toBe('true')
      expect(second.headers.get('cache-control')).toBe('no-store')
      expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
      expect(await rowsWith(body.email)).toHaveLength(1)
    })

    test('works for creates with hooks, sums and rules, under owners and without a version', async () => {
      const order = await newOrder(served)
      const payment = await newPayment(served, order.id)
      const product = (await served.get('/v2/products?limit=1')).rows[0]?.id
      const creates: readonly [string, object][] = [
        [`/v2/payments/${payment.id}/refunds`, { amount: 600 }],
        [`/v2/orders/${order.id}/items`, { product_id: product, quantity: 1, unit_price: 5 }],
        ['/orders', { customer_id: order.customer_id, currency: 'EUR' }],
      ]
      for (const [path, body] of creates) {
        const key = unique()
        const first = await post(body, key, path)
        const second = await post(body, key, path)
        expect([first.status, second.status, second.text]).toEqual([201, 201, first.text])
        expect(second.headers.get('location')).toBe(first.headers.get('location'))
        expect(second.headers.get('idempotent-replayed')).toBe('true')
      }
      expect((await served.get(`/v2/payments/${payment.id}/refunds`)).rows).toHaveLength(1)
      expect((await served.get(`/v2/orders/${order.id}`)).data.total).toBe(5)
    })

    test('the replay is byte-identical after the resource was changed, and after it or its owner has gone', async () => {
      const customer = await newCustomer(served)
      const key = unique()
      const path = `/v2/customers/${customer.id}/orders`
      const first = await post({ currency: 'EUR' }, key, path)
      await moveOrder(served, first.data.id, 'placed')
      expect((await post({ currency: 'EUR' }, key, path)).text).toBe(first.text)
      const draftKey = unique()
      const draft = await post({ currency: 'USD' }, draftKey, path)
      await served.call('DELETE', `/v2/orders/${draft.data.id}`)
      expect((await post({ currency: 'USD' }, draftKey, path)).text).toBe(draft.text)
      const lone = await newCustomer(served)
      const loneKey = unique()
      const lonePath = `/v2/customers/${lone.id}/orders`
      const last = await post({ currency: 'EUR' }, loneKey, lonePath)
      await served.call('DELETE', `/v2/orders/${last.data.id}`)
      await served.call('DELETE', `/v2/customers/${lone.id}`)
      const replay = await post({ currency: 'EUR' }, loneKey, lonePath)
      expect([replay.status, replay.text]).toEqual([201, last.text])
    })

    test('the same key for another body, path or version is 422 and writes nothing', async () => {
      const [body, key] = [fields(), unique()]
      await post(body, key)
      const others: readonly [object, string][] = [
        [{ ...body, name: 'Other' }, '/v2/customers'],
        [{ ...body, phone: null }, '/v2/customers'],
        [{ full_name: body.name, email: body.email }, '/v1/clients'],
        [{ customer_id: noId, currency: 'EUR' }, '/v2/orders'],
        [{}, '/v2/customers'],
      ]
      for (const [other, path] of others) {
        const answer = await post(other, key, path)
        expect(answer.refusal, path).toEqual([422, 'idempotency-key-reused'])
        expect(answer.faults).toEqual(['Idempotency-Key'])
      }
      expect(await rowsWith(body.email)).toMatchObject([{ name: 'Key' }])
    })

    test('the body is compared by value: order, blanks, escapes and number forms do not matter', async () => {
      const order = await newOrder(served)
      const key = unique()
      const path = `/v2/orders/${order.id}/payments`
      const first = await post(`{"amount":100,"currency":"EUR","reference":"a"}`, key, path)
      expect(first.status).toBe(201)
      for (const same of [
        `{ "reference" : "a",\n "currency":"EUR", "amount":1e2 }`,
        `{"currency":"\\u0045UR","amount":100.0,"reference":"\\u0061"}`,
      ]) {
        const answer = await post(same, key, path)
        expect([answer.status, answer.text]).toEqual([201, first.text])
      }
    })

    test('with and without a version is one path', async () => {
      const [body, key] = [fields(), unique()]
      const first = await post(body, key, '/customers')
      expect((await post(body, key, '/v2/customers')).text).toBe(first.text)
    })

    test('bare and quoted forms are one key', async () => {
      const [body, key] = [fields(), unique()]
      const first = await post(body, key)
      expect((await post(body, `"${key}"`)).text).toBe(first.text)
      const odd = fields()
      const quoted = await post(odd, '"a\\"b\\\\c"')
      expect((await post(odd, 'a"b\\c')).text).toBe(quoted.text)
    })

    test.each([
      ['empty', ''],
      ['blank', '  '],
      ['256 characters', 'k'.repeat(256)],
      ['a blank within', 'a b'],
      ['two headers', 'a, b'],
      ['two quoted headers', '"a", "b"'],
      ['nothing quoted', '""'],
      ['no closing quote', '"abc'],
      ['a quote within quotes', '"a"b"'],
      ['a parameter', '"a";b=1'],
      ['a letter beyond ASCII', 'schlüssel'],
      ['a tab', 'a\tb'],
    ])('a key that is %s is 400 and creates nothing', async (_, key) => {
      const body = fields()
      expect((await post(body, key)).refusal).toEqual([400, 'idempotency-key-malformed'])
      expect(await rowsWith(body.email)).toEqual([])
    })

    test('two headers are none, even if one of them is empty', () => {
      // So node:http joins them.
      for (const joined of ['abc, ', ', abc', 'abc, abc']) expect(() => readKey(joined)).toThrow(Problem)
    })

    test('255 characters of any visible ASCII are a key', async () => {
      const visible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('')
      const key = `k${visible.repeat(3)}`.slice(0, 255)
      const body = fields()
      const first = await post(body, key)
      expect(first.status).toBe(201)
      expect((await post(body, key)).headers.get('idempotent-replayed')).toBe('true')
    })

    test('where it is required its absence is 400, where it is off it is ignored', async () => {
      const order = await newOrder(served)
      const payment = { order_id: order.id, amount: 1, currency: 'EUR' }
      const missing = await served.call('POST', '/v2/payments', { body: payment })
      expect(missing.refusal).toEqual([400, 'idempotency-key-missing'])
      expect(missing.faults).toEqual(['Idempotency-Key'])
      const item = (await served.get('/v2/order-items?limit=1')).rows[0]?.id
      const adjustment = { order_item_id: item, amount: 1, reason: 'r' }
      const [first, second] = [
        await post(adjustment, 'same', '/v2/adjustments'),
        await post(adjustment, 'same', '/v2/adjustments'),
      ]
      expect([first.status, second.status]).toEqual([201, 201])
      expect(second.data.id).not.toBe(first.data.id)
      expect((await post(adjustment, ' bad key ', '/v2/adjustments')).status).toBe(201)
    })

    test('other methods ignore it, malformed or not', async () => {
      const { id } = await newCustomer(served)
      const path = `/v2/customers/${id}`
      const key = unique()
      for (const headers of [{ 'Idempotency-Key': key }, { 'Idempotency-Key': 'not a key' }]) {
        expect((await served.get(path, { headers })).status).toBe(200)
        for (const name of ['A', 'B'])
          expect((await served.call('PATCH', path, { body: { name }, headers })).data.name).toBe(name)
      }
      expect((await served.call('DELETE', path, { headers: { 'Idempotency-Key': key } })).status).toBe(204)
      expect((await served.call('DELETE', path, { headers: { 'Idempotency-Key': key } })).status).toBe(404)
    })

    test('a failure stores nothing: the corrected retry with that key runs', async () => {
      const [body, key] = [fields(), unique()]
      expect((await post('{', key)).status).toBe(400)
      expect((await post(body, key, '/v2/customers?x=1')).status).toBe(400)
      expect((await post({ ...body, name: '' }, key)).status).toBe(422)
      const taken = await newCustomer(served)
      expect((await post({ ...body, email: taken.email }, key)).status).toBe(409)
      expect((await post({ ...body, referrer_id: noId }, key)).status).toBe(422)
      const last = await post(body, key)
      expect([last.status, last.headers.get('idempotent-replayed')]).toEqual([201, null])
      expect((await post(body, key)).text).toBe(last.text)
    })

    test('a refusal by a hook or a rule leaves the key free too', async () => {
      const order = await newOrder(served)
      const payment = await newPayment(served, order.id, { amount: 10 })
      const refunds = `/v2/payments/${payment.id}/refunds`
      const key = unique()
      expect((await post({ amount: 11 }, key, refunds)).status).toBe(409)
      expect((await post({ amount: 10 }, key, refunds)).status).toBe(201)
      const placed = await newOrder(served)
      await moveOrder(served, placed.id, 'placed')
      const product = (await served.get('/v2/products?limit=1')).rows[0]?.id
      const item = { product_id: product, quantity: 1, unit_price: 1 }
      const itemKey = unique()
      expect((await post(item, itemKey, `/v2/orders/${placed.id}/items`)).status).toBe(409)
      expect((await post(item, itemKey, `/v2/orders/${order.id}/items`)).status).toBe(201)
    })

    test('a replay comes before conflicts', async () => {
      const [body, key] = [fields(), unique()]
      const first = await post(body, key)
      // The email is taken now, by the very row the first try made.
      expect((await post(body, key)).text).toBe(first.text)
    })

    test('a caller that lacks the scope, or has no key, gets no replay', async () => {
      const [body, key] = [fields(), unique()]
      expect((await post(body, key)).status).toBe(201)
      const reader = await served.api.key('acme', { scopes: ['customers:read'] })
      const headers = { 'Idempotency-Key': key }
      const forbidden = await served.call('POST', '/v2/customers', { body, headers, as: reader })
      expect(forbidden.refusal).toEqual([403, 'scope-missing'])
      const nobody = await served.call('POST', '/v2/customers', { body, headers, as: null })
      expect(nobody.status).toBe(401)
    })

    test('a caller whose API key was revoked after the first request gets no replay', async () => {
      const name = `leaving ${unique()}`
      const caller = await served.api.key('acme', { name })
      const call = { body: fields(), headers: { 'Idempotency-Key': unique() }, as: caller }
      expect((await served.call('POST', '/v2/customers', call)).status).toBe(201)
      const replayed = await served.call('POST', '/v2/customers', call)
      expect(replayed.headers.get('idempotent-replayed')).toBe('true')
      expect(await new KeyRing(served.store).revoke('acme', name)).toBe(1)
      await until(async () => (await served.call('POST', '/v2/customers', call)).status === 401)
      const refused = await served.call('POST', '/v2/customers', call)
      expect(refused.refusal).toEqual([401, 'credentials-invalid'])
      expect(refused.headers.get('idempotent-replayed')).toBeNull()
    })
  },
  {},
  storeForms,
)
