import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { newCustomer, newOrder, unique } from '../support/shop-rows.ts'

const nested = (levels: number, inner = '1') => '{"a":'.repeat(levels) + inner + '}'.repeat(levels)

describeServing('bad input', (served) => {
  const post = (body: unknown, headers: { [name: string]: string | null } = {}) =>
    served.call('POST', '/v2/customers', { body, headers })

  test.each([
    ['nothing', ''],
    ['blanks', '  \n'],
    ['half an object', '{"name":'],
    ['two values', '{} {}'],
    ['a trailing comma', '{"name":"a",}'],
    ['single quotes', "{'name':'a'}"],
    ['a comment', '{} // yes'],
    ['NaN', '{"price":NaN}'],
    ['a raw control character', '{"name":"a\u0001b"}'],
    ['33 levels', nested(33)],
    ['33 levels of arrays', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['100,000 levels', nested(100_000)],
    ['a __proto__ key', '{"__proto__":{"admin":true}}'],
    ['a __proto__ key within', '{"a":{"b":[{"__proto__":1}]}}'],
    ['an escaped __proto__ key', '{"\\u005f_proto__":1}'],
  ])('a body of %s is 400', async (_, body) => {
    const answer = await post(body)
    expect(answer.refusal).toEqual([400, 'malformed-json'])
  })

  test.each([
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['a number', '1'],
  ])('a body that is JSON, but %s, is 422', async (_, body) => {
    const answer = await post(body)
    expect(answer.refusal).toEqual([422, 'validation-failed'])
  })

  test('a body that is not UTF-8 is 400', async () => {
    expect((await post(new Uint8Array([0x7b, 0xff, 0x7d]))).refusal).toEqual([400, 'malformed-json'])
  })

  test.each([
    ['{\n  "name": secret\n}', 'line 2, column 11'],
    ['{"name":"a",\n"secret"}', 'line 2'],
    ['{"a": "x\\q secret"}', 'line 1'],
    ['{"secret": ', 'ends too early'],
    ['\ufeff{"name":"secret"}', 'byte order mark; leave that out'],
    ['{"secret":]}', 'not valid JSON'],
  ])('the place in %j is told, what stands there is not', async (body, place) => {
    const { problem } = await post(body)
    expect(problem.detail).toContain(place)
    expect(JSON.stringify(problem)).not.toContain('secret')
  })

  test('32 levels are read, and judged as fields', async () => {
    const answer = await post(nested(32))
    expect(answer.refusal).toEqual([422, 'validation-failed'])
  })

  test('unknown fields are 422 and named, constructor and toString among them', async () => {
    const answer = await post({
      name: 'A',
      email: `${unique()}@example.com`,
      nmae: 1,
      constructor: 1,
      toString: 2,
      hasOwnProperty: null,
      'a/b~c': 1,
      '': 1,
    })
    expect(answer.refusal).toEqual([422, 'validation-failed'])
    expect(answer.faults).toEqual([
      '#/nmae',
      '#/constructor',
      '#/toString',
      '#/hasOwnProperty',
      '#/a~1b~0c',
      '#/',
    ])
    expect(answer.problem.errors?.[0]?.detail).toContain('did you mean "name"?')
  })

  test('a question in the detail ends as one', async () => {
    const row = { name: 'A', email: `${unique()}@example.com` }
    const one = await post({ ...row, nmae: 1 })
    expect(one.problem.detail).toBe('nmae is not a field of customers; did you mean "name"?')
    const several = await post({ ...row, nmae: 1, emial: 2 })
    expect(several.problem.detail).toBe('nmae is not a field of customers; did you mean "name"? And 1 more.')
    const plain = await post({ ...row, zzzzzz: 1, nmae: 2, emial: 3 })
    expect(plain.problem.detail).toBe('zzzzzz is not a field of customers, and 2 more.')
  })

  test('all faults are reported at once', async () => {
    const answer = await post({ name: '', email: 'nope', phone: 'x'.repeat(41), referrer_id: 7 })
    expect([...answer.faults].sort()).toEqual(['#/email', '#/name', '#/phone', '#/referrer_id'])
    expect((await post({})).faults).toEqual(['#/name', '#/email'])
  })

  test('a hundred faults are listed, the rest are counted', async () => {
    const fields = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`x${at}`, 1]))
    const answer = await post({ name: 'A', email: `${unique()}@example.com`, ...fields })
    expect(answer.faults).toHaveLength(100)
    expect(answer.problem.more).toBe(150)
  })

  test.each([
    ['a string for an integer', { price: '5' }],
    ['a fraction for an integer', { price: 1.5 }],
    ['a number past 2^53', { price: 2 ** 53 + 2 }],
    ['a huge number', { price: 1e300 }],
    ['a negative number where none is allowed', { price: -1 }],
    ['a number for a boolean', { active: 1 }],
    ['a string for a boolean', { active: 'true' }],
    ['a value outside the enum', { currency: 'GBP' }],
    ['another case of an enum', { currency: 'eur' }],
    ['an object for a string', { title: {} }],
    ['an array for a string', { title: ['a'] }],
    ['a NUL', { title: 'a\0b' }],
    ['a lone surrogate', { title: 'a\ud800b' }],
    ['an empty string where one character is needed', { title: '' }],
    ['201 characters where 200 are allowed', { title: 'é'.repeat(201) }],
  ])('%s is 422 with a pointer', async (_, wrong) => {
    const right = { sku: unique(), title: 'Lamp', price: 1, currency: 'EUR', active: true }
    const answer = await served.call('POST', '/v2/products', { body: { ...right, ...wrong } })
    expect(answer.refusal).toEqual([422, 'validation-failed'])
    expect(answer.faults).toEqual([`#/${Object.keys(wrong)[0]}`])
  })

  test('a pointer is a fragment of a URI, whatever the key', async () => {
    const body = { 'a b/%~é': 1, [`${'x'.repeat(99)}😀`]: 1 }
    const answer = await served.call('POST', '/v2/products', { body })
    expect(answer.status).toBe(422)
    expect(answer.faults).toContain('#/a%20b~1%25~0%C3%A9')
    expect(answer.problem.detail).toContain('a b~1%~0é is not a field of products')
    expect(answer.faults).toContain(`#/${'x'.repeat(99)}%EF%BF%BD`)
  })

  test('a number past 2^53 is refused as it was written, not rounded', async () => {
    const order = await newOrder(served)
    const { rows } = await served.get('/v2/products?limit=1')
    const body = `{"product_id":"${rows[0]?.id}","quantity":1,"unit_price":9007199254740993}`
    const answer = await served.call('POST', `/v2/orders/${order.id}/items`, { body })
    expect([answer.status, answer.faults]).toEqual([422, ['#/unit_price']])
  })

  test('lengths count code points', async () => {
    const title = '𝄞'.repeat(200)
    const body = { sku: unique(), title, price: 1, currency: 'EUR' }
    const answer = await served.call('POST', '/v2/products', { body })
    expect([answer.status, answer.data.title]).toEqual([201, title])
  })

  test('integers may be written in any way JSON allows', async () => {
    for (const price of ['100', '1e2', '100.0', '1000e-1', '0.1e3']) {
      const body = `{"sku":"${unique()}","title":"x","price":${price},"currency":"EUR"}`
      const answer = await served.call('POST', '/v2/products', { body })
      expect([answer.status, answer.data.price]).toEqual([201, 100])
    }
  })

  test.each([
    '.a@example.com',
    'a@b',
    'a b@example.com',
    '@example.com',
    'a@example.com\n',
    'a@-x.com',
    'ü@example.com',
  ])('%j is no email', async (email) => {
    expect((await post({ name: 'A', email })).faults).toEqual(['#/email'])
  })

  test('a read-only field in a create is 422, whatever its value', async () => {
    const own = { name: 'A', email: `${unique()}@example.com` }
    for (const name of ['id', 'created_at', 'updated_at']) {
      for (const value of [null, 'x', '2026-01-01T00:00:00.000Z']) {
        const answer = await post({ ...own, [name]: value })
        expect([answer.status, answer.faults]).toEqual([422, [`#/${name}`]])
      }
    }
    const { customer_id } = await newOrder(served)
    const body = { customer_id, currency: 'EUR', total: 0 }
    expect((await served.call('POST', '/v2/orders', { body })).faults).toEqual(['#/total'])
  })

  test.each([
    [{ 'Content-Type': null }],
    [{ 'Content-Type': 'text/plain' }],
    [{ 'Content-Type': 'application/x-www-form-urlencoded' }],
    [{ 'Content-Type': 'application/json; charset=latin1' }],
    [{ 'Content-Type': 'application/merge-patch+json' }],
    [{ 'Content-Type': 'application/jsonx' }],
  ])('a create with %o is 415 and names what is read', async (headers) => {
    const answer = await post({ name: 'A', email: `${unique()}@example.com` }, headers)
    expect(answer.refusal).toEqual([415, 'unsupported-media-type'])
    expect(answer.headers.get('accept')).toBe('application/json')
  })

  test('a coded body is 415 and says what is read, whatever its bytes are', async () => {
    for (const coding of ['gzip', 'br', 'gzip, identity']) {
      const answer = await post(
        { name: 'A', email: `${unique()}@example.com` },
        { 'Content-Encoding': coding },
      )
      expect(answer.refusal, coding).toEqual([415, 'unsupported-media-type'])
      expect(answer.headers.get('accept-encoding')).toBe('identity')
    }
    const plain = await post(
      { name: 'A', email: `${unique()}@example.com` },
      { 'Content-Encoding': 'identity' },
    )
    expect(plain.status).toBe(201)
  })

  test('a patch with another media type is 415 and names both it reads', async () => {
    const { id } = await newCustomer(served)
    const answer = await served.call('PATCH', `/v2/customers/${id}`, {
      body: '[]',
      headers: { 'Content-Type': 'application/json-patch+json' },
    })
    expect(answer.status).toBe(415)
    expect(answer.headers.get('accept')).toBe('application/json, application/merge-patch+json')
  })

  test('a body over the limit is 413 and says the limit; one at the limit is read', async () => {
    const own = JSON.stringify({ name: 'A', email: `${unique()}@example.com` })
    const answer = await post(own.padEnd(1_048_577))
    expect(answer.refusal).toEqual([413, 'body-too-large'])
    expect(answer.problem.limit).toBe(1_048_576)
    expect((await post(own.padEnd(1_048_576))).status).toBe(201)
  })

  test.each(['text/html', 'application/xml, text/*', 'application/json;q=0', 'application/json;q=0, */*'])(
    'Accept: %s is 406',
    async (accept) => {
      expect((await served.get('/v2/orders', { headers: { Accept: accept } })).refusal).toEqual([
        406,
        'not-acceptable',
      ])
    },
  )

  test.each([
    '*/*',
    'application/*',
    'application/json',
    'text/html, application/json;q=0.1',
    'text/html, */*;q=0.01',
  ])('Accept: %s is answered with JSON', async (accept) => {
    const answer = await served.get('/v2/orders', { headers: { Accept: accept } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
  })

  test('nothing half-written stays of any refusal', async () => {
    const email = `${unique()}@example.com`
    await post({ name: 'A', email, referrer_id: 'nobody' })
    await post({ name: 'A', email, extra: 1 })
    await post(`{"name":"A","email":"${email}"`)
    expect((await served.get(`/v2/customers?filter[email]=${email}`)).rows).toEqual([])
  })
})
