import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { nounkit } from '../support/child.ts'
import { emptyDatabase, walkedStores } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { newKey, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { workerPids } from './worker-pids.ts'

const older = `
import { api, resource } from 'nounkit'
import { z } from 'zod'
const things = resource('things', { fields: { label: z.string(), cost: z.string() } })
export default api('market', { resources: [things] })
`
const newer = `
import { api, changeType, renameResource, resource, version } from 'nounkit'
import { z } from 'zod'
const items = resource('items', { fields: { label: z.string(), cost: z.int() } })
const changes = [
  renameResource('things', 'items'),
  changeType('items', 'cost', { was: z.string(), codec: 'cents-as-decimal-string' }),
]
export default api('market', { resources: [items], versions: [version('v2'), version('v1', { changes })] })
`
const folders = { older: declarationFolder(older), newer: declarationFolder(newer) }

describe.each(walkedStores)('%s', (kind) => {
  /** A process of the older declaration that serves a row. */
  const served = async (args: readonly string[] = [], env = {}) => {
    const databaseUrl = await emptyDatabase(kind)
    const server = await startServer(databaseUrl, { api: folders.older, args, env })
    const key = await newKey(databaseUrl)
    const list = () => server.call('GET', '/v1/things', { key })
    const made = await server.call('POST', '/v1/things', { key, body: { label: 'lamp', cost: '12.00' } })
    expect(made.status).toBe(201)
    return { databaseUrl, server, key, list }
  }
  const migrate = async (databaseUrl: string, ...flags: string[]) => {
    const ran = await runHere(['migrate', folders.newer, ...flags], { env: { DATABASE_URL: databaseUrl } })
    return { ...ran, output: ran.stdout + ran.stderr }
  }
  const expectRefused = (reply: Reply) => {
    expect(reply.status).toBe(503)
    expect(reply.headers['retry-after']).toBe('1')
    expect(JSON.parse(reply.text)).toMatchObject({
      type: '/problems/shutting-down',
      detail: expect.stringContaining('migrated for a newer release'),
    })
  }
  const expectEnd = async (server: ServerProcess) => {
    expect(await server.child.ended).toEqual({ code: 3, signal: null })
    expect(server.child.output.match(/the store was migrated past this process/g)).toHaveLength(1)
    expect(server.child.output).not.toContain('request failed')
  }

  test('a conversion is refused while a process of the older declaration serves, and names it', async () => {
    const { databaseUrl, server, list } = await served()
    const before = (await list()).text
    const refused = await migrate(databaseUrl)
    expect(refused.code).toBe(1)
    expect(refused.output).toMatch(
      new RegExp(`process ${server.child.pid} on ${hostname()}, serving since \\S+Z, last seen \\S+Z`),
    )
    expect(refused.output).toContain('--force')
    expect(await list()).toMatchObject({ status: 200, text: before })

    await server.child.kill('SIGTERM')
    expect(await migrate(databaseUrl)).toMatchObject({ code: 0 })
  })

  test('with --force the older process answers 503 with the reason, is not ready, and ends itself with 3', async () => {
    const { databaseUrl, server, key, list } = await served()
    expect(await migrate(databaseUrl, '--force')).toMatchObject({ code: 0 })
    // The process notices it within two seconds, and ends. From then on every answer is a refusal, and it is not ready.
    const reply = await until(async () => {
      const one = await list().catch(() => null)
      return one === null || one.status === 503 ? { one } : undefined
    }).then(({ one }) => one)
    if (reply) expectRefused(reply)
    const ready = reply && (await server.call('GET', '/readyz').catch(() => null))
    if (ready) expect(ready.status).toBe(503)
    await expectEnd(server)
    const next = await startServer(databaseUrl, { api: folders.newer })
    const rows = async (path: string) => JSON.parse((await next.call('GET', path, { key })).text).data
    expect(await rows('/v1/things')).toMatchObject([{ label: 'lamp', cost: '12.00' }])
    expect(await rows('/v2/items')).toMatchObject([{ label: 'lamp', cost: 1200 }])
  })

  test('workers end together, and none is replaced', async () => {
    const { databaseUrl, server } = await served(['--workers', '2'], { NOUNKIT_LOG: 'info' })
    await workerPids(server, 2)
    expect(await migrate(databaseUrl, '--force')).toMatchObject({ code: 0 })
    expect(await server.child.ended).toEqual({ code: 3, signal: null })
    expect(server.child.output).not.toContain('takes its place')
  })

  test('a process of the older declaration that is started afterwards is refused', async () => {
    const { databaseUrl, server } = await served()
    await server.child.kill('SIGTERM')
    expect(await migrate(databaseUrl)).toMatchObject({ code: 0 })
    const late = nounkit(['serve', folders.older, '--port', '0'], { env: { DATABASE_URL: databaseUrl } })
    expect(await late.ended).toEqual({ code: 3, signal: null })
    expect(late.stderr).toContain(
      'The store was migrated past this declaration, whose newest version is v1: things.cost for v2 was converted.',
    )
    const store = await openForTest(databaseUrl)
    await expect(async () => store.all('SELECT 1 FROM "items"', [])).rejects.toThrow()
  })
})
