import { expect, test } from 'vitest'
import { z } from 'zod'
import shopApi from '../../examples/shop/api.ts'
import { api, belongsTo, resource } from '../../src/index.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'
import { listeningShop } from '../support/listening-shop.ts'
import { serve } from '../support/serving.ts'
import { noId, unique } from '../support/shop-rows.ts'
import { openForTest } from '../support/stores.ts'
import { accountOn, twoNodesSql } from '../support/two-nodes.ts'
import { until } from '../support/until.ts'
import { testApi } from '../support/way-in.ts'

test('/readyz and /metrics tell the nodes of a cluster apart, and a node that is lost', async () => {
  const url = await emptyDatabase('postgres')
  await (await testApi(shopApi, { databaseUrl: url })).close()
  const outside = await openForTest(url)
  await outside.session((session) => session.script(twoNodesSql))
  const shop = await listeningShop({ databaseUrl: `${url}?pool=6&connect_timeout=1` })
  whenOver(() => shop.close())
  const { store } = shop.api.service
  const probe = async (path: string) => fetch(`${shop.server.url}${path}`)
  const ready = await probe('/readyz')
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: 'ready', nodes: { 'node-1:5432': 'ready', 'node-2:5432': 'ready' } },
  ])

  // Statements of accounts of one node that are not answered.
  const locked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const holder = outside.transaction(async (tx) => {
    await tx.all('SELECT pg_advisory_xact_lock(1)', [])
    locked.resolve()
    await gate.promise
  })
  await locked.promise
  const stuck: Promise<unknown>[] = []
  await until(
    async () => {
      const wait = store.all('SELECT pg_advisory_xact_lock_shared(1)::text', [], accountOn(1))
      stuck.push(Promise.resolve(wait).catch(() => {}))
      const answer = await probe('/readyz')
      const { status, nodes } = (await answer.json()) as { status: string; nodes: object }
      if (status === 'ready') return false
      expect([answer.status, status]).toEqual([200, 'degraded'])
      expect(nodes).toEqual({ 'node-1:5432': 'unavailable', 'node-2:5432': 'ready' })
      return true
    },
    { every: 300, what: '/readyz noticing the lost node' },
  )
  await store.first('SELECT 1', [], accountOn(2))
  const metrics = await (await probe('/metrics')).text()
  expect(metrics).toMatch(/^nounkit_store_node_statements_total\{node="node-2:5432"\} [1-9]/m)
  expect(metrics).toMatch(/^nounkit_store_node_errors_total\{node="node-2:5432"\} 0$/m)
  expect(metrics).toMatch(/^nounkit_store_node_waiting\{node="node-1:5432"\} \d+$/m)
  gate.resolve()
  await Promise.all([holder, ...stuck])
})

test('requests of an account send nothing that asks every node, also where a rule is asked before a write', async () => {
  const boxes = resource('boxes', { fields: { name: z.string() } })
  const notes = resource('notes', {
    fields: { text: z.string() },
    relations: { box: belongsTo(boxes) },
    rules: {
      create: ({ row }) => row.box.name.is('open'),
      update: ({ row }) => row.box.name.is('open'),
      delete: ({ row }) => row.box.name.is('open'),
    },
  })
  const declaration = api('ruled', { resources: [boxes, notes], events: { keepDays: 1 } })
  const url = await emptyDatabase('postgres')
  await (await testApi(declaration, { databaseUrl: url })).close()
  const outside = await openForTest(url)
  await outside.session((session) => session.script(twoNodesSql))
  const served = await serve('postgres', url, { declaration })
  const work = async () => {
    const box = await served.make('/v1/boxes', { name: 'open' })
    const { id } = await served.make('/v1/notes', { text: 'one', box_id: box.id }, withKey())
    expect((await served.get('/v1/notes')).status).toBe(200)
    const lost = await served.call('POST', '/v1/notes', { body: { text: 'lost', box_id: noId } })
    expect(lost.status).toBeGreaterThanOrEqual(400)
    expect((await served.call('PATCH', `/v1/notes/${id}`, { body: { text: 'two' } })).status).toBe(200)
    expect((await served.call('DELETE', `/v1/notes/${id}`)).status).toBe(204)
    expect((await served.get('/v1/events')).status).toBe(200)
  }
  const askedAll = () =>
    served.store.counters.nodes?.find(({ node }) => node === 'every node')?.statements ?? 0
  await work()
  const before = askedAll()
  await work()
  expect(askedAll()).toBe(before)
})

const withKey = () => ({ headers: { 'Idempotency-Key': unique() } })
