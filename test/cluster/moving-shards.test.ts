import { beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { accountPerWorker, type Cluster, keyOf, portOf, startCluster, workerOf } from './cluster.ts'
import {
  type Creator,
  creating,
  expectExactlyOnce,
  type KeyedCreates,
  startCreates,
} from './keyed-creates.ts'

let cluster: Cluster
let server: ServerProcess
let creators: readonly Creator[]
let creates: KeyedCreates

beforeAll(async () => {
  cluster = await startCluster()
  const { url } = cluster.coordinator
  creators = []
  for (const account of await accountPerWorker(cluster))
    creators = [...creators, { account, key: await keyOf(url, account) }]
  server = await startServer(url)
})

const figure = (): string =>
  `${creates.acknowledged()} creates, longest ${creates.longestMs.toFixed(0)} ms, statuses ${[...creates.statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`

/** Creates go on before, during and after `work`; then everything acknowledged is there once. */
async function whileCreating(work: () => Promise<void>): Promise<void> {
  creates = startCreates(() => server, creators)
  await creating(creates, creators, 10)
  await work()
  await creating(creates, creators, 10)
  await creates.stop()
  await expectExactlyOnce(cluster, creates, creators)
  await cluster.sql`DELETE FROM customers WHERE email LIKE '%@cluster.example'`
  await cluster.sql`DELETE FROM nounkit_idempotency`
}

test('shards move to another worker while their accounts create rows', async ({ task }) => {
  const [{ account } = { account: '' }] = creators
  await whileCreating(async () => {
    const [from = 0, to = 1] = [0, 1].map((at) => portOf(cluster.workers[at] as never))
    await cluster.sql`
      SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('orders', ${account}::text),
        '127.0.0.1', ${from}, '127.0.0.1', ${to}, shard_transfer_mode => 'force_logical')`
  })
  expect(await workerOf(cluster, account)).toBe(1)
  task.meta.figure = figure()
})

const placements = () => cluster.sql`SELECT shardid, nodeport FROM citus_shards ORDER BY shardid, nodeport`

test('the cluster is rebalanced while accounts create rows', async ({ task }) => {
  const before = await placements()
  await whileCreating(async () => {
    await cluster.sql`SELECT citus_rebalance_start('by_shard_count', shard_transfer_mode => 'force_logical')`
    await cluster.sql`SELECT citus_rebalance_wait()`
  })
  expect(await placements()).not.toEqual(before)
  task.meta.figure = figure()
})

test('an account is isolated into a shard of its own while it creates rows', async ({ task }) => {
  const [{ account } = { account: '' }] = creators
  await whileCreating(async () => {
    await cluster.sql`
      SELECT isolate_tenant_to_new_shard('orders', ${account}::text, 'CASCADE', shard_transfer_mode => 'force_logical')`
  })
  task.meta.figure = figure()
})
