import { expect, test } from 'vitest'
import shopApi from '../../examples/shop/api.ts'
import { testApi } from '../../src/testing.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase } from '../support/databases.ts'
import { listeningShop } from '../support/listening-shop.ts'
import { openForTest } from '../support/stores.ts'
import { accountOn, twoNodesSql } from '../support/two-nodes.ts'
import { until } from '../support/until.ts'

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
