import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startServer } from '../support/server-process.ts'
import { startCluster } from './cluster.ts'
import { StatementLog } from './statement-log.ts'

const processes = 4
const restMs = 20_000
const application = 'at-rest'

test('processes that nobody calls ask one node at a time, and no more of them the more shards there are', async ({
  task,
}) => {
  const { coordinator, sql } = await startCluster()
  await startServer(coordinator.url).then(({ child }) => child.kill())
  const log = await StatementLog.start(coordinator, application)
  await Promise.all(
    Array.from({ length: processes }, () =>
      startServer(`${coordinator.url}?application_name=${application}`),
    ),
  )
  // The first housekeeping finds that there are no endpoints. It is a minute away.
  await sql`INSERT INTO nounkit_marks (id, at) VALUES ('webhook endpoints', 0) ON CONFLICT (id) DO UPDATE SET at = 0`
  await sleep(2_000)
  log.skip()
  await sleep(restMs)
  const observed = log.read()
  const spread = observed.filter(({ nodes }) => nodes.size > 1)
  const commands = observed.reduce((sum, one) => sum + one.commands, 0)
  task.meta.figure = `${processes} processes: ${((commands * 1_000) / restMs).toFixed(1)} shard queries a second, ${spread.length} statements on several nodes in ${restMs / 1_000} s`
  expect(spread.map(({ text }) => text)).toEqual([])
  expect(commands).toBeGreaterThan(0)
})
