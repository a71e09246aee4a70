import { beforeAll, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { View } from '../../src/compile/model.ts'
import { sampleOf } from '../support/sample-value.ts'
import { dataOf, type ServerProcess, startServer } from '../support/server-process.ts'
import { shopContracts } from '../support/serving.ts'
import { administer, type Cluster, keyOf, startCluster } from './cluster.ts'

let cluster: Cluster
let server: ServerProcess
let made = 0

beforeAll(async () => {
  cluster = await startCluster()
  const key = await keyOf(cluster.coordinator.url, 'acme')
  await startServer(cluster.coordinator.url).then(({ child }) => child.kill())
  // From here on the coordinator refuses any statement that it would have to split into tasks on several shards.
  await administer(
    cluster.coordinator.url,
    `ALTER DATABASE postgres SET citus.multi_task_query_log_level = 'error'`,
  )
  server = await startServer(cluster.coordinator.url, { key })
})

const call = async (method: string, path: string, body?: unknown, headers = {}) => {
  const reply = await server.call(method, path, { ...(body !== undefined && { body }), headers })
  expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(300)
  made++
  return reply
}
const make = async (path: string, body: object, headers = {}) =>
  dataOf(await call('POST', path, body, headers)).id

test('every read of an account is one task on one node', async ({ task }) => {
  const { versions } = compileApi(shop, { contracts: await shopContracts() })
  for (const version of versions)
    for (const view of version.views.values())
      if (view.topLevel)
        for (const query of queriesOf(view)) await call('GET', `/${version.name}/${view.name}?${query}`)
  await call('GET', '/v2/events?limit=5')
  task.meta.figure = `${made} kinds of reads`
})

const queriesOf = (view: View): readonly string[] => [
  '',
  ...[...view.sorts].map((sort) => `sort=-${sort}`),
  ...[...view.filters].map((name) => `filter[${name}][in]=${sampleOf(view, name)}`),
  ...view.includePaths.map((path) => `limit=1&include=${path}`),
]

test('every write of an account is statements of one task on one node each', async ({ task }) => {
  made = 0
  const [product] = JSON.parse((await call('GET', '/v2/products?limit=1')).text).data
  const customer = await make('/v2/customers', { name: 'Ada', email: 'ada@task.example' })
  const keyed = { name: 'Bo', email: 'bo@task.example' }
  await make('/v2/customers', keyed, { 'Idempotency-Key': 'bo' })
  await make('/v2/customers', keyed, { 'Idempotency-Key': 'bo' })
  await call('PATCH', `/v2/customers/${customer}`, { phone: '1' })
  await call('PUT', `/v2/customers/${customer}`, { name: 'Ada', email: 'ada@task.example' })
  const order = await make('/v2/orders', { customer_id: customer, currency: 'EUR' })
  const item = await make(`/v2/orders/${order}/items`, { product_id: product.id, quantity: 2, unit_price: 5 })
  await call('PATCH', `/v2/orders/${order}/items/${item}`, { quantity: 3 })
  await make(`/v2/orders/${order}/items/${item}/adjustments`, { amount: -1, reason: 'late' }).catch(
    () => null,
  )
  await call('DELETE', `/v2/orders/${order}/items/${item}`)
  await call('PATCH', `/v2/orders/${order}`, { status: 'placed' })
  const paid = { amount: 10, currency: 'EUR' }
  const payment = await make(`/v2/orders/${order}/payments`, paid, { 'Idempotency-Key': 'paid' })
  await make(`/v2/payments/${payment}/refunds`, { amount: 1 }, { 'Idempotency-Key': 'refund' })
  const draft = await make('/v2/orders', { customer_id: customer, currency: 'EUR' })
  await call('DELETE', `/v2/orders/${draft}`)
  const events = JSON.parse((await call('GET', '/v2/events?limit=100')).text).data
  expect(events.length).toBeGreaterThan(10)
  task.meta.figure = `${made} writes`
})
