import { expect, test } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { releaseInTurn, releases } from '../processes/release-in-turn.ts'
import { nounkit } from '../support/child.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { edits } from '../support/rolling-world.ts'
import { startServer } from '../support/server-process.ts'
import { keyOf, startCluster } from './cluster.ts'

test('a release with every change that needs no stop rolls over a cluster, and back, and no call notices', async ({
  task,
}) => {
  const both = await releases(edits)
  const { coordinator } = await startCluster({ api: both.older })
  const { answered, made } = await releaseInTurn(coordinator.url, both, edits, 4)
  task.meta.figure = `${edits.length} changes, 4 processes, ${answered} calls, ${made.size} creates, none refused`
}, 600_000)

const market = (fields: string, versions = '', resource = 'things') =>
  declarationFolder(`
import { api, changeType, renameResource, resource, version } from 'nounkit'
import { z } from 'zod'
const things = resource('${resource}', { fields: { label: z.string(), ${fields} } })
export default api('market', { resources: [things], ${versions} })
`)
const older = market('cost: z.string()')
const newer = market(
  'cost: z.int()',
  `versions: [version('v2'), version('v1', { changes: [
    renameResource('things', 'items'),
    changeType('items', 'cost', { was: z.string(), codec: 'cents-as-decimal-string' }),
  ] })]`,
  'items',
)

test('a change that needs a stop is refused while older processes serve, converts on every node, and keeps them out afterwards', async ({
  task,
}) => {
  const { coordinator, sql } = await startCluster({ api: older })
  const env = { DATABASE_URL: coordinator.url }
  const server = await startServer(coordinator.url, { api: older })
  const accounts = Array.from({ length: 8 }, (_, at) => `account-${at}`)
  const keys = await Promise.all(accounts.map((account) => keyOf(coordinator.url, account)))
  for (const key of keys) {
    const { status } = await server.call('POST', '/v1/things', {
      key,
      body: { label: 'lamp', cost: '12.00' },
    })
    expect(status).toBe(201)
  }
  const dry = await runHere(['migrate', newer, '--dry-run', '--json'], { env })
  expect(JSON.parse(dry.stdout)).toMatchObject({ release: 'needs-a-stop' })
  const refused = await runHere(['migrate', newer], { env })
  expect(refused.code).toBe(1)
  await server.child.kill('SIGTERM')
  const began = performance.now()
  const migrated = await runHere(['migrate', newer], { env })
  expect(migrated.code, migrated.stdout + migrated.stderr).toBe(0)
  const took = performance.now() - began

  const late = nounkit(['serve', older, '--port', '0'], { env })
  expect(await late.ended).toMatchObject({ code: 3 })
  const next = await startServer(coordinator.url, { api: newer })
  for (const key of keys) {
    const rows = async (path: string) => JSON.parse((await next.call('GET', path, { key })).text).data
    expect(await rows('/v1/things')).toMatchObject([{ label: 'lamp', cost: '12.00' }])
    expect(await rows('/v2/items')).toMatchObject([{ label: 'lamp', cost: 1200 }])
  }
  await next.child.kill('SIGTERM')

  const tidied = await runHere(['migrate', newer, '--tidy'], { env })
  expect(tidied.code, tidied.stdout + tidied.stderr).toBe(0)
  const tables =
    await sql`SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE logicalrelid::text IN ('things', 'items')`
  expect(tables).toEqual([{ name: 'items' }])
  const after = await startServer(coordinator.url, { api: newer })
  const listed = await after.call('GET', '/v1/things', { key: keys[0] ?? '' })
  expect(JSON.parse(listed.text).data).toMatchObject([{ cost: '12.00' }])
  task.meta.figure = `${accounts.length} accounts converted in ${(took / 1_000).toFixed(1)} s`
})
