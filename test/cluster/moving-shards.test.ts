import { beforeAll, expect, test } from 'vitest'
import type { OwnPostgres } from '../support/own-postgres.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import {
  accountPerWorker,
  addWorker,
  type Cluster,
  keyOf,
  portOf,
  startCluster,
  workerOf,
} from './cluster.ts'
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
let movedMs = 0

beforeAll(async () => {
  cluster = await startCluster({ spare: 1 })
  const { url } = cluster.coordinator
  creators = []
  for (const account of await accountPerWorker(cluster, cluster.workers.length - 1))
    creators = [...creators, { account, key: await keyOf(url, account) }]
  server = await startServer(url)
})

const figure = (): string =>
  `${creates.acknowledged()} creates, longest ${creates.longestMs.toFixed(0)} ms, statuses ${[...creates.statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`

/** Creates go on before, during and after `work`; then everything acknowledged is there once. */
async function whileCreating(work: () => Promise<void>, allowed: readonly number[] = [201]): Promise<void> {
  creates = startCreates(() => server, creators)
  await creating(creates, creators, 10)
  const begunAt = performance.now()
  await work()
  movedMs = Math.round(performance.now() - begunAt)
  await creating(creates, creators, 10)
  await creates.stop()
  await expectExactlyOnce(cluster, creates, creators)
  expect([...creates.statuses.keys()].filter((status) => !allowed.includes(status))).toEqual([])
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
  task.meta.figure = `moved in ${movedMs} ms; ${figure()}`
})

/** Shards by the port of their worker. */
async function shardsByWorker(): Promise<ReadonlyMap<number, number>> {
  const rows = await cluster.sql`
    SELECT nodeport, count(*)::int AS "shards" FROM citus_shards
    WHERE table_name = 'orders'::regclass GROUP BY nodeport`
  return new Map(rows.map(({ nodeport, shards }) => [Number(nodeport), Number(shards)]))
}

test('a worker is added and the cluster rebalanced while accounts create rows', async ({ task }) => {
  const added = cluster.workers.at(-1) as OwnPostgres
  expect((await shardsByWorker()).get(portOf(added))).toBe(undefined)
  await whileCreating(async () => {
    await addWorker(cluster.sql, added)
    await cluster.sql`SELECT citus_rebalance_start('by_shard_count', shard_transfer_mode => 'force_logical')`
    await cluster.sql`SELECT citus_rebalance_wait()`
  })
  const moved = (await shardsByWorker()).get(portOf(added)) ?? 0
  expect(moved).toBeGreaterThan(0)
  task.meta.figure = `${moved} of 8 shards moved in ${movedMs} ms; ${figure()}`
})

test('an account is isolated into a shard of its own while it creates rows, which wait until the shard is split', async ({
  task,
}) => {
  const [{ account } = { account: '' }] = creators
  const shards = async () => [...(await shardsByWorker()).values()].reduce((sum, count) => sum + count, 0)
  const before = await shards()
  // Not 'force_logical': an UPDATE in the first seconds of such a split makes it hang (citusdata/citus#6790).
  await whileCreating(async () => {
    await cluster.sql`
      SELECT isolate_tenant_to_new_shard('orders', ${account}::text, 'CASCADE', shard_transfer_mode => 'block_writes')`
  }, [201, 503])
  expect(await shards()).toBe(before + 2)
  task.meta.figure = `split in ${movedMs} ms; ${figure()}`
})
