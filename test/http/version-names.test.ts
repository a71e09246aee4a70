import { expect, test } from 'vitest'
import { type Answer, type CallOptions, describeServing, type Serving } from '../support/serving.ts'
import { newProduct, noId, unique } from '../support/shop-rows.ts'

/** What the two versions of the shop call the same things. */
const vocabulary = {
  v1: { people: 'clients', person: 'client', name: 'full_name', placed: 'open', extra: {} },
  v2: { people: 'customers', person: 'customer', name: 'name', placed: 'placed', extra: { currency: 'EUR' } },
}
type VersionName = keyof typeof vocabulary

/** Names and values that only the other version has. */
const foreign = {
  v1: /customer|placed|"refunded"|phone|referrer|\/v2\b/i,
  v2: /client|full_name|\bfax\b|"open"|\/v1\b/i,
}

/** The whole answer, without the link to the successor, which must name the other version. */
const saying = ({ text, headers }: Answer): string => {
  const links = (headers.get('link') ?? '')
    .split(/,\s*(?=<)/)
    .filter((one) => !/rel="(successor-version|deprecation|sunset)"/.test(one))
  const others = [...headers]
    .filter(([name]) => name !== 'link' && name !== 'referrer-policy')
    .map(([name, value]) => `${name}: ${value}`)
  return [...others, ...links, text].join('\n')
}

/** Every kind of answer a version gives, made by really calling it. */
const everyAnswer = async (
  served: Serving,
  version: VersionName,
): Promise<readonly (readonly [string, Answer])[]> => {
  const { people, person, name, placed, extra } = vocabulary[version]
  const answers: [string, Answer][] = []
  const call = async (method: string, path: string, given: CallOptions = {}): Promise<Answer> => {
    const answer = await served.call(method, `/${version}${path}`, { as: 'initech', ...given })
    answers.push([`${method} ${path}`, answer])
    return answer
  }
  const key = () => ({ 'Idempotency-Key': unique() })
  const body = { [name]: 'Ada', email: `ada.${unique()}@example.com` }
  const { id } = (await call('POST', `/${people}`, { body })).data
  await call('POST', `/${people}`, { body })
  await call('POST', `/${people}`, { body: { email: 'no', nothing: 1 } })
  const other = (
    await call('POST', `/${people}`, { body: { ...body, email: `bob.${unique()}@example.com` } })
  ).data
  for (const method of ['PUT', 'PATCH']) await call(method, `/${people}/${id}`, { body })
  await call('PUT', `/${people}/${id}`, { body: {} })
  const order = (await call('POST', '/orders', { body: { [`${person}_id`]: id, ...extra }, headers: key() }))
    .data
  await call('POST', `/${people}/${other.id}/orders`, { body: { ...extra } })
  await call('POST', '/orders', { body: { [`${person}_id`]: noId, ...extra } })
  await call('POST', '/orders', { body: {} })
  const product = await newProduct(served)
  const item = (
    await call('POST', `/orders/${order.id}/items`, {
      body: { product_id: product.id, quantity: 2, unit_price: 3 },
    })
  ).data
  await call('PATCH', `/orders/${order.id}`, { body: { status: 'shipped' } })
  for (const status of [placed, 'draft', 'paid'])
    await call('PATCH', `/orders/${order.id}`, { body: { status } })
  await call('PATCH', `/orders/${order.id}`, { body: { status: 'nowhere' } })
  await call('PATCH', `/order-items/${item.id}`, { body: { quantity: 5 } })
  const headers = key()
  const paid = { amount: 5, currency: 'EUR' }
  const payment = (await call('POST', `/orders/${order.id}/payments`, { body: paid, headers })).data
  await call('POST', `/orders/${order.id}/payments`, { body: paid, headers })
  await call('POST', `/orders/${order.id}/payments`, { body: { ...paid, amount: 6 }, headers })
  await call('POST', `/payments/${payment.id}/refunds`, { body: { amount: 9 }, headers: key() })
  await call('POST', '/payments', { body: paid })
  for (const path of [
    '',
    `?include=${person},items,items.product,payments&limit=1`,
    '?sort=-status',
    `?filter[${person}_id]=${id}`,
    `?filter[status]=${placed}`,
    '?filter[status]=nothing',
    '?filter[nothing]=1',
    '?sort=nothing',
    '?include=nothing',
    `?include=${person}.orders`,
    '?cursor=nothing',
  ])
    await call('GET', `/orders${path}`)
  for (const path of [
    '',
    '?include=orders',
    `?sort=${name}`,
    '?sort=nothing',
    '?filter[nothing]=1',
    `/${id}`,
    `/${id}?include=orders`,
    `/${id}/orders`,
    `/${id}/orders?limit=1`,
    `/${noId}`,
    `/${id}/nothing`,
  ])
    await call('GET', `/${people}${path}`)
  for (const path of [
    `/orders/${order.id}?include=${person},payments`,
    `/payments?include=order.${person}`,
    `/payments/${payment.id}`,
    `/orders/${noId}`,
    '/nothing',
    '',
  ])
    await call('GET', path)
  for (const path of [`/${people}`, `/${people}/${id}`, '/payments', '']) await call('OPTIONS', path)
  await call('HEAD', `/${people}/${id}`)
  await call('DELETE', `/${people}/${id}`)
  await call('DELETE', `/orders/${order.id}`)
  await call('PUT', `/payments/${payment.id}`, { body: paid })
  await call('GET', `/${people}`, { as: null })
  await call('GET', `/${people}`, { as: await served.api.key('initech', { scopes: ['orders:read'] }) })
  await call('PATCH', `/${people}/${id}`, { body, headers: { 'If-Match': '"99"' } })
  return answers
}

describeServing('names of a version', (served) => {
  test.each(['v1', 'v2'] as const)('no answer of %s has a word of the other version', async (version) => {
    const answers = await everyAnswer(served, version)
    const leaks = answers.filter(([, answer]) => foreign[version].test(saying(answer)))
    expect(leaks.map(([call, answer]) => `${call}\n${saying(answer)}`)).toEqual([])
    // Otherwise nothing would have been said at all.
    const statuses = new Set(answers.map(([, { status }]) => status))
    expect([...statuses].sort()).toEqual([200, 201, 204, 400, 401, 403, 404, 405, 409, 412, 422])
  })

  test.each(['v1', 'v2'] as const)("the other version's words mean nothing in %s", async (version) => {
    const other = vocabulary[version === 'v1' ? 'v2' : 'v1']
    const { people, person } = vocabulary[version]
    expect((await served.get(`/${version}/${other.people}`)).status).toBe(404)
    for (const query of [
      `include=${other.person}`,
      `filter[${other.person}_id]=${noId}`,
      `filter[status]=${other.placed}`,
    ]) {
      expect((await served.get(`/${version}/orders?${query}`)).status, query).toBe(400)
    }
    expect((await served.get(`/${version}/${people}?sort=${other.name}`)).status).toBe(400)
    const body = { [other.name]: 'Ada', email: 'a@example.com' }
    const refused = await served.call('POST', `/${version}/${people}`, { body })
    expect(refused.faults).toContain(`#/${other.name}`)
    expect(person).not.toBe(other.person)
  })
})
