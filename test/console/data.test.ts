import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import shop from '../../examples/shop/api.ts'
import { api, belongsTo, decimal, resource, states, version } from '../../src/index.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { OperatorBrowser, type Page } from '../support/operator-browser.ts'
import { describeStores } from '../support/stores.ts'

describeStores('the data of an account in the console', (store) => {
  let served: TestApi
  let ada: OperatorBrowser
  let key: string

  beforeAll(async () => {
    served = await testApi(shop, { databaseUrl: await store.url() })
    key = await served.key('acme')
    ada = await OperatorBrowser.signedIn(served)
  })
  afterAll(() => served.close())

  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await served.fetch(path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const { data } = (await response.json()) as { data: { id: string; [field: string]: unknown } }
    expect(response.status).toBeLessThan(300)
    return data
  }
  let made = 0
  const customer = (name = `Customer ${++made}`) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `make-${++made}`,
    }
    const body = JSON.stringify({ name, email: `c${made}@example.com` })
    return served
      .fetch('/v2/customers', { method: 'POST', headers, body })
      .then(async (response) => ((await response.json()) as { data: { id: string; name: string } }).data)
  }
  const order = async () =>
    call('POST', '/v2/orders', { customer_id: (await customer()).id, currency: 'EUR' })
  const at = (verb: string, place: string) => `/console/data/${verb}/${place}?account=acme`
  const ok = async (path: string): Promise<Page> => {
    const page = await ada.get(path)
    expect(page.status, page.text).toBe(200)
    return page
  }
  /** Sends a form, looks at what it asks, and says yes. */
  const sendAndConfirm = async (path: string, fields: { readonly [name: string]: string }) => {
    const action = path.split('?')[0] ?? ''
    const asked = await ada.submit(path, action, fields)
    expect(asked.status, asked.text).toBe(200)
    return { asked, done: await ada.submitIn(asked, action, { confirmed: 'yes' }) }
  }

  it('accounts are listed, and each resource of one has a page', async () => {
    expect((await ok('/console/data')).text).toContain('account=acme')
    const page = await ok('/console/data?account=acme')
    for (const name of ['customers', 'products', 'orders']) expect(page.text).toContain(at('list', name))
  })

  it('a list is filtered, sorted, searched and counted by the lists of the engine', async () => {
    await customer('Grace Hopper')
    const found = await ok(`${at('list', 'customers')}&search=grac`)
    expect(found.text).toContain('GET /v2/customers?search=grac')
    expect(found.text).toContain('Grace Hopper')
    const none = await ok(`${at('list', 'customers')}&is.email=eq&value.email=nobody@example.com`)
    expect(none.text).toContain('GET /v2/customers?filter[email]=nobody%40example.com')
    expect(none.text).toContain('No rows.')
    await order()
    const counted = await ok(`${at('list', 'orders')}&count=true&include=customer&sort=-created_at&limit=1`)
    expect(counted.text).toMatch(/\d+ rows?</)
    expect(counted.text).toContain('rel="next"')
    const refused = await ada.get(`${at('list', 'orders')}&is.total=gte&value.total=much`)
    expect([refused.status, refused.text.includes('role="alert"')]).toEqual([400, true])
    expect(refused.text.match(/has a value that is not/g)).toHaveLength(1)
  })

  it('a row of another account is not there', async () => {
    const { id } = await customer()
    expect((await ada.get(`/console/data/row/customers/${id}?account=acme`)).status).toBe(200)
    expect((await ada.get(`/console/data/row/customers/${id}?account=globex`)).status).toBe(404)
  })

  it('a row has its history, its states with the moves that are allowed, and the way to its relations', async () => {
    const { id } = await order()
    await call('PATCH', `/v2/orders/${id}`, { status: 'placed' })
    const { text } = await ok(at('row', `orders/${id}`))
    expect([...text.matchAll(/name="move\.status" value="(\w+)"/g)].map(([, to]) => to)).toEqual([
      'paid',
      'cancelled',
    ])
    expect(text).toContain(at('list', `orders/${id}/items`))
    expect(text).toMatch(/updated<\/td><td><p class="change"><code>status<\/code> placed/)
  })

  it('a state moves after it was asked once, and no other way', async () => {
    const { id } = await order()
    const row = at('row', `orders/${id}`)
    const asked = await ada.submit(row, `/console/data/edit/orders/${id}`, { 'move.status': 'placed' })
    expect(asked.text).toContain('Save this change?')
    expect(await call('GET', `/v2/orders/${id}`)).toMatchObject({ status: 'draft' })
    const done = await ada.submitIn(asked, `/console/data/edit/orders/${id}`, { confirmed: 'yes' })
    expect(done.location).toBe(`/console/data/row/orders/${id}?account=acme&done=changed`)
    expect(await call('GET', `/v2/orders/${id}`)).toMatchObject({ status: 'placed' })
    const wrong = await ada.submit(row, `/console/data/edit/orders/${id}`, { 'move.status': 'refunded' })
    const refused = await ada.submitIn(wrong, `/console/data/edit/orders/${id}`, { confirmed: 'yes' })
    expect(refused.status).toBe(409)
    expect(await call('GET', `/v2/orders/${id}`)).toMatchObject({ status: 'placed' })
  })

  it('an edit writes what was changed, and nothing else', async () => {
    const { id } = await customer()
    const { asked, done } = await sendAndConfirm(at('edit', `customers/${id}`), { 'to.phone': '+49 1' })
    expect(asked.text).toContain('<th scope="row">phone</th>')
    expect(asked.text).not.toContain('<th scope="row">email</th>')
    expect(done.status).toBe(303)
    expect(await call('GET', `/v2/customers/${id}`)).toMatchObject({ phone: '+49 1' })
    // Who has changed it is recorded, and stands on its page.
    expect((await ok(at('row', `customers/${id}`))).text).toMatch(
      /operator <b>ada<\/b><\/td><td>updated<\/td>.*<code>phone<\/code> \+49 1/,
    )
  })

  it('what the API refuses is said at the field, and what was typed stays', async () => {
    const { id } = await customer()
    const { done } = await sendAndConfirm(at('edit', `customers/${id}`), { 'to.email': 'no address' })
    expect(done.status).toBe(422)
    expect(done.text).toMatch(/value="no address"[^>]*>\s*<p class="fault"/)
  })

  it('of an edit that conflicts both values are shown, and what is decided is written', async () => {
    const { id } = await customer('First')
    const path = at('edit', `customers/${id}`)
    const action = `/console/data/edit/customers/${id}`
    const form = await ok(path)
    await call('PATCH', `/v2/customers/${id}`, { name: 'Theirs', phone: '1' })
    const asked = await ada.submitIn(form, action, { 'to.name': 'Mine', 'to.email': 'mine@example.com' })
    const conflict = await ada.submitIn(asked, action, { confirmed: 'yes' })
    expect(conflict.status).toBe(409)
    for (const text of ['First', 'Theirs', 'Mine']) expect(conflict.text).toContain(text)
    expect(await call('GET', `/v2/customers/${id}`)).toMatchObject({ name: 'Theirs' })
    const resolved = await ada.submitIn(conflict, action, { 'to.name': 'Theirs' })
    expect(resolved.text).toContain('Save this change?')
    expect((await ada.submitIn(resolved, action, { confirmed: 'yes' })).status).toBe(303)
    expect(await call('GET', `/v2/customers/${id}`)).toMatchObject({
      name: 'Theirs',
      email: 'mine@example.com',
      phone: '1',
    })
  })

  it('a row is made once, however often the last form is sent', async () => {
    const path = at('new', 'customers')
    const action = '/console/data/new/customers'
    const asked = await ada.submit(path, action, { 'to.name': 'Once', 'to.email': 'once@example.com' })
    const done: Page[] = []
    for (let time = 0; time < 2; time++) done.push(await ada.submitIn(asked, action, { confirmed: 'yes' }))
    expect(done.map(({ status }) => status)).toEqual([303, 303])
    expect(done[0]?.location).toBe(done[1]?.location)
    expect((await ok(`${at('list', 'customers')}&search=once`)).text.match(/>Once</g)).toHaveLength(1)
  })

  it('a reference is found by words, and picked', async () => {
    const { id } = await customer('Annie Easley')
    const path = at('new', 'orders')
    const action = '/console/data/new/orders'
    const found = await ada.submit(path, action, {
      find: 'customer_id',
      'find.customer_id': 'easl',
      'to.currency': 'USD',
    })
    expect(found.text).toContain(`name="pick" value="customer_id=${id}"`)
    const picked = await ada.submitIn(found, action, { pick: `customer_id=${id}` })
    expect(picked.text).toContain(`value="${id}"`)
    const asked = await ada.submitIn(picked, action, {})
    const done = await ada.submitIn(asked, action, { confirmed: 'yes' })
    const { text } = await ok(done.location)
    expect(text).toContain('Annie Easley')
    expect(text).toContain('USD')
  })

  it('a row below its owner is listed, made, and opened there', async () => {
    const { id } = await order()
    const shown = await ok(at('list', 'products'))
    const [, product = ''] = /data\/row\/products\/([\w-]+)/.exec(shown.text) ?? []
    const { done } = await sendAndConfirm(at('new', `orders/${id}/items`), {
      'to.product_id': product,
      'to.quantity': '2',
      'to.unit_price': '500',
    })
    expect(done.status, done.text).toBe(303)
    expect((await ok(done.location)).text).toContain('>500<')
    expect((await ok(at('list', `orders/${id}/items`))).text).toContain('>500<')
    expect(await call('GET', `/v2/orders/${id}`)).toMatchObject({ total: 1000 })
  })

  it('a shared row is edited too', async () => {
    const shown = await ok(at('list', 'products'))
    const [, product = ''] = /data\/row\/products\/([\w-]+)/.exec(shown.text) ?? []
    const { done } = await sendAndConfirm(at('edit', `products/${product}`), { 'to.active': 'false' })
    expect(done.status, done.text).toBe(303)
    expect(await call('GET', `/v2/products/${product}`)).toMatchObject({ active: false })
    expect((await ok(at('row', `products/${product}`))).text).toContain('operator <b>ada</b>')
  })

  it('a row is deleted as it was shown, or not', async () => {
    const { id } = await customer()
    const path = at('delete', `customers/${id}`)
    const form = await ok(path)
    await call('PATCH', `/v2/customers/${id}`, { name: 'Changed' })
    const late = await ada.submitIn(form, `/console/data/delete/customers/${id}`, {})
    expect(late.status).toBe(412)
    expect(late.text).toContain('Changed')
    const done = await ada.submitIn(late, `/console/data/delete/customers/${id}`, {})
    expect(done.location).toBe('/console/data/list/customers?account=acme&done=deleted')
    expect((await ada.get(at('row', `customers/${id}`))).status).toBe(404)
  })
})

describeStores('rows of every kind of field', (store) => {
  const makers = resource('makers', {
    fields: { name: z.string() },
    sort: ['name'],
  })
  const things = resource('things', {
    fields: {
      title: z.string().max(300),
      note: z.string().max(1000).optional(),
      price: decimal({ scale: 2 }),
      ratio: z.number().optional(),
      on: z.iso.date().optional(),
      at: z.iso.datetime().optional(),
      kind: z.enum(['a', 'b']).default('a'),
      shape: z.record(z.string(), z.string()).optional(),
      step: states('one', { one: ['two'] }),
    },
    relations: { maker: belongsTo(makers, { optional: true }) },
    filter: ['title'],
    search: ['title'],
    include: ['maker'],
  })
  let served: TestApi
  let ada: OperatorBrowser

  beforeAll(async () => {
    served = await testApi(
      api('things', {
        accounts: 'one',
        resources: [makers, things],
        versions: [version('v1')],
        events: { keepDays: 7 },
      }),
      { databaseUrl: await store.url() },
    )
    ada = await OperatorBrowser.signedIn(served)
  })
  afterAll(() => served.close())

  it('every kind of value goes through a form as it is', async () => {
    const action = '/console/data/new/things'
    const asked = await ada.submit(action, action, {
      'to.title': 'All of them',
      'to.note': 'two\r\nlines',
      'to.price': '12.30',
      'to.ratio': '0.25',
      'to.on': '2026-02-28',
      'to.at': '2026-02-28T12:00:00Z',
      'to.kind': 'b',
      'to.shape': '{"deep":"1"}',
    })
    const done = await ada.submitIn(asked, action, { confirmed: 'yes' })
    const id = /row\/things\/([\w-]+)/.exec(done.location)?.[1] ?? ''
    const key = await served.key()
    const read = async () => {
      const answer = await served.fetch(`/v1/things/${id}`, { headers: { authorization: `Bearer ${key}` } })
      return ((await answer.json()) as { data: unknown }).data
    }
    const before = await read()
    expect(before).toMatchObject({
      title: 'All of them',
      note: 'two\nlines',
      price: '12.30',
      ratio: 0.25,
      on: '2026-02-28',
      kind: 'b',
      shape: { deep: '1' },
    })
    // A form that is sent as it is changes nothing; an empty input unsets.
    const edit = `/console/data/edit/things/${id}`
    expect((await ada.submit(edit, edit, {})).location).toBe(`/console/data/row/things/${id}`)
    const cleared = await ada.submit(edit, edit, { 'to.note': '', 'to.shape': '', 'to.on': '' })
    await ada.submitIn(cleared, edit, { confirmed: 'yes' })
    expect(await read()).toMatchObject({ note: null, shape: null, on: null, ratio: 0.25 })
    const broken = await ada.submit(edit, edit, { 'to.shape': '{' })
    expect([broken.status, broken.text.includes('is not JSON')]).toEqual([422, true])
  })
})
