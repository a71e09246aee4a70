import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { type TestApi, testApi } from '../../src/testing.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi(shop)
})
afterAll(() => api.close())

const call = async (scopes: string[], method: string, path: string) => {
  const key = await api.key('acme', { scopes })
  const init =
    method === 'GET' || method === 'HEAD'
      ? {}
      : { body: '{}', headers: { 'Content-Type': 'application/json' } }
  const answer = await api.fetch(path, {
    method,
    ...init,
    headers: { ...init.headers, Authorization: `Bearer ${key}` },
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text), headers: answer.headers }
}

describe('reading and writing take a scope of their own', () => {
  const allowed: [string, string[], string, string][] = [
    ['read lets GET', ['orders:read'], 'GET', '/v2/orders'],
    ['read lets HEAD', ['orders:read'], 'HEAD', '/v2/orders'],
    ['* reads and writes rows of the account', ['*'], 'POST', '/v2/orders'],
    ['* reads shared rows', ['*'], 'GET', '/v2/products'],
    ['the scope by name writes shared rows', ['*', 'products:write'], 'POST', '/v2/products'],
    ['any key reads what asks for no scope', [], 'GET', '/v2/products'],
  ]
  test.each(allowed)('%s', async (_, scopes, method, path) => {
    expect((await call(scopes, method, path)).status).not.toBe(403)
  })

  const refused: [string, string[], string, string, string][] = [
    ['read does not let POST', ['orders:read'], 'POST', '/v2/orders', 'orders:write'],
    ['write does not let GET', ['orders:write'], 'GET', '/v2/orders', 'orders:read'],
    ['another resource is another scope', ['orders:read'], 'GET', '/v2/customers', 'customers:read'],
    ['no scope is no access', [], 'GET', '/v2/orders', 'orders:read'],
    [
      'a sub-collection takes the scope of what it holds',
      ['orders:read'],
      'GET',
      '/v2/orders/1/payments',
      'payments:read',
    ],
    ['* does not create shared rows', ['*'], 'POST', '/v2/products', 'products:write'],
    ['* does not replace shared rows', ['*'], 'PUT', '/v2/products/1', 'products:write'],
    ['* does not change shared rows', ['*'], 'PATCH', '/v1/products/1', 'products:write'],
    ['* does not delete shared rows', ['*'], 'DELETE', '/v2/products/1', 'products:write'],
    ['writing the catalogue takes its scope', ['products:read'], 'POST', '/v2/products', 'products:write'],
  ]
  test.each(refused)('%s', async (_, scopes, method, path, scope) => {
    const { status, body, headers } = await call(scopes, method, path)
    expect(status).toBe(403)
    expect(body).toMatchObject({ type: '/problems/scope-missing', scope })
    expect(body.detail).toContain(`"${scope}"`)
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="api", error="insufficient_scope", scope="${scope}"`,
    )
  })
})

describe('an include shows only what could be fetched alone', () => {
  test('without the scope of an included resource it is 403', async () => {
    const { status, body } = await call(
      ['orders:read', 'products:read'],
      'GET',
      '/v2/orders?include=customer',
    )
    expect(status).toBe(403)
    expect(body.scope).toBe('customers:read')
  })

  test('the scopes of all steps of a path are needed', async () => {
    const scopes = ['payments:read', 'orders:read']
    expect((await call(scopes, 'GET', '/v2/payments?include=order')).status).toBe(200)
    expect((await call(scopes, 'GET', '/v2/payments?include=order.customer')).body.scope).toBe(
      'customers:read',
    )
  })
})

describe('scopes follow versions', () => {
  test('a scope in the head names opens the old version, and the reverse', async () => {
    for (const scope of ['customers:read', 'clients:read']) {
      expect((await call([scope], 'GET', '/v1/clients')).status).toBe(200)
    }
    expect((await call(['customers:read'], 'GET', '/v2/customers')).status).toBe(200)
  })

  test('a refusal names the scope as the called version does', async () => {
    expect((await call([], 'GET', '/v1/clients')).body.scope).toBe('clients:read')
    expect((await call([], 'GET', '/v2/customers')).body.scope).toBe('customers:read')
  })
})

test('a key without scopes learns nothing of which rows exist', async () => {
  const known = await api.fetch('/v2/customers?limit=1', {
    headers: { Authorization: `Bearer ${await api.key('acme')}` },
  })
  const { data } = (await known.json()) as { data: { id: string }[] }
  expect((await call([], 'GET', `/v2/customers/${data[0]?.id}`)).status).toBe(403)
  expect((await call([], 'GET', '/v2/customers/none')).status).toBe(403)
})
