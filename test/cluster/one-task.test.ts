import { beforeAll, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { compileApi } from '../../src/compile/compile.ts'
import type { View } from '../../src/compile/model.ts'
import { whenOver } from '../support/clean-up.ts'
import { StreamReader } from '../support/event-source.ts'
import { startReceiver } from '../support/receiver.ts'
import { sampleOf } from '../support/sample-value.ts'
import { dataOf, type ServerProcess, startServer } from '../support/server-process.ts'
import { shopContracts } from '../support/serving.ts'
import { until } from '../support/until.ts'
import { keyOf, startCluster } from './cluster.ts'
import { StatementLog, spread } from './statement-log.ts'

let log: StatementLog
let server: ServerProcess
let made = 0
let key = ''
const application = 'observed'

beforeAll(async () => {
  const { coordinator } = await startCluster()
  key = await keyOf(coordinator.url, 'acme')
  await startServer(coordinator.url).then(({ child }) => child.kill())
  log = await StatementLog.start(coordinator, application)
  server = await startServer(`${coordinator.url}?application_name=${application}`, {
    key,
    env: { NOUNKIT_WEBHOOK_ALLOW: '127.0.0.0/8' },
  })
})

/**
 * All that a process sends and that concerns more than one node. Whatever else does so is a mistake: it stops when any node is away.
 */
const everyNode: readonly (readonly [text: RegExp, why: string])[] = [
  [
    /^INSERT INTO "nounkit_usage(_details)?"/,
    'counts of the calls of all accounts, written together now and then',
  ],
  [/^INSERT INTO "nounkit_recorders"/, 'the row of the process, in the transaction that writes its counts'],
  [
    /^SELECT "id", "started_at", .* FROM "nounkit_recorders" WHERE "ended_at" IS NULL/,
    'what other processes know of the store, once when a process starts; it starts without them, too',
  ],
  [
    /^(INSERT INTO|UPDATE|DELETE FROM) "nounkit_(meta|signals)"/,
    'small tables that every node has a copy of',
  ],
  [
    /^SELECT DISTINCT t\."account_id" FROM "\w+" t WHERE/,
    'accounts with rows that lack the words of a search: when a process starts, and once a minute',
  ],
  // Of the webhooks, only one process at a time sends these, and none while there are no endpoints.
  [/^WITH ended AS .* "nounkit_api_keys"/s, 'endpoints whose keys have ended'],
  [
    /^SELECT .* FROM "nounkit_api_keys" WHERE "account_id" = /s,
    'the key that an endpoint rests on, which its hash places',
  ],
  [/^SELECT 1 FROM "webhook_endpoints" WHERE "active"/, 'whether any account has an active endpoint'],
  [
    /^SELECT coalesce\(.* FROM "webhook_deliveries" WHERE "next_attempt_at" IS NOT NULL$/s,
    'a metric: the oldest delivery that is still to be made, while there are active endpoints',
  ],
  [
    /^SELECT DISTINCT e."account_id", e."id" FROM "webhook_deliveries"/,
    'deliveries that are due, of all accounts',
  ],
  [
    /^SELECT e."account_id", e."id" FROM "webhook_endpoints" e WHERE \(EXISTS/,
    'endpoints that other processes left behind',
  ],
  [
    /^UPDATE "webhook_endpoints" SET "lease_(owner|until)" = [^"]*("lease_until" = NULL )?WHERE "lease_owner"/,
    'leases of this process',
  ],
]

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
  ...(view.searched.size > 0 ? ['search=ada'] : []),
  ...(view.counted ? ['count=true'] : []),
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

test('events are followed, read and sent to webhook endpoints', async () => {
  const receiver = await startReceiver()
  whenOver(receiver.close)
  const endpoint = await make('/v2/webhook-endpoints', { url: receiver.url, event_types: ['*'] })
  const response = await fetch(`${server.url}/v2/events`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
  })
  const stream = await new StreamReader(response).opened()
  const customer = await make('/v2/customers', { name: 'Cy', email: 'cy@task.example' })
  await call('PATCH', `/v2/customers/${customer}`, { phone: '2' })
  const [event] = await stream.take(2)
  await stream.cancel()
  await call('GET', `/v2/events/${JSON.parse(event?.data ?? '').id}`)
  await until(() => receiver.received.length >= 2)
  await call('GET', `/v2/webhook-endpoints/${endpoint}/deliveries`)
  await call('POST', `/v2/webhook-endpoints/${endpoint}/secrets`, {})
  await call('DELETE', `/v2/webhook-endpoints/${endpoint}`)
})

test('only what is listed here concerns more than one node or is committed in two phases', async ({
  task,
}) => {
  await server.child.kill('SIGTERM')
  const observed = log.read()
  const found = spread(observed)
  const unlisted = found.filter((text) => !everyNode.some(([listed]) => listed.test(text)))
  task.meta.figure = `${new Set(observed.map(({ text }) => text)).size} statements, ${found.length} of them on several nodes`
  expect(unlisted).toEqual([])
})
