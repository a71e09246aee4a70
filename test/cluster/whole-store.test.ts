import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { nounkit } from '../support/child.ts'
import { emptyDatabase, temporaryFolder } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { newKey, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { type Cluster, keyOf, startCluster } from './cluster.ts'
import { type Creator, creating, expectExactlyOnce, startCreates } from './keyed-creates.ts'

let cluster: Cluster
let folder = ''

beforeAll(async () => {
  cluster = await startCluster()
  folder = temporaryFolder()
})

const command = async (databaseUrl: string, ...args: string[]) => {
  const child = nounkit(args, { env: { DATABASE_URL: databaseUrl } })
  const { code } = await child.ended
  return { code, output: child.output, stdout: child.stdout }
}
const succeeds = async (databaseUrl: string, ...args: string[]): Promise<string> => {
  const { code, output, stdout } = await command(databaseUrl, ...args)
  expect(code, output).toBe(0)
  return stdout
}
const countOf = async (table: string): Promise<number> => {
  const [row] = await cluster.sql`SELECT count(*)::int AS "rows" FROM ${cluster.sql(table)}`
  return row?.rows
}

test('a SQLite store is copied onto the cluster, and back, with the same rows and keys; an export is the same bytes', async ({
  task,
}) => {
  const { url } = cluster.coordinator
  const source = await emptyDatabase('sqlite')
  // The first start inserts the seed.
  await startServer(source).then(({ child }) => child.kill())
  const key = await newKey(source)
  const copied = await succeeds(url, 'copy', 'examples/shop', '--from', source, '--to', url)
  task.meta.figure = /Copied .*tables/.exec(copied)?.[0] ?? ''
  const server = await startServer(url)
  expect((await server.call('GET', '/v2/products?limit=1', { key })).status).toBe(200)
  await server.child.kill()

  const exported = await succeeds(url, 'export', 'examples/shop')
  expect(exported).toBe(await succeeds(source, 'export', 'examples/shop'))
  const back = `sqlite:${join(folder, 'back.db')}`
  await succeeds(url, 'copy', 'examples/shop', '--from', url, '--to', back)
  expect(await succeeds(back, 'export', 'examples/shop')).toBe(exported)
  writeFileSync(join(folder, 'exported.jsonl'), exported)
})

test('rows are imported into the cluster, and a second time none of them', async () => {
  const { url } = cluster.coordinator
  const lines = readFileSync(join(folder, 'exported.jsonl'), 'utf8').trim().split('\n')
  const customers = lines.map((line) => JSON.parse(line)).filter((row) => row['@resource'] === 'customers')
  const moved = customers.map((row, at) => ({ ...row, '@account': `imported-${at % 5}`, id: undefined }))
  const file = join(folder, 'customers.jsonl')
  writeFileSync(
    file,
    moved
      .map(({ '@resource': resource, '@account': account, name, email }) =>
        JSON.stringify({ '@resource': resource, '@account': account, name, email }),
      )
      .join('\n'),
  )
  const before = await countOf('customers')
  expect(await succeeds(url, 'import', 'examples/shop', file)).toContain(`Imported ${moved.length} rows`)
  expect(await countOf('customers')).toBe(before + moved.length)
  const again = await succeeds(url, 'import', 'examples/shop', join(folder, 'exported.jsonl'))
  expect(again).toContain('Imported 0 rows')
})

test('of two processes one sweeps at a time, and sweeping keeps up with creates', async ({ task }) => {
  const { coordinator, sql } = cluster
  const expired = 50_000
  const account = 'swept'
  const creators: readonly Creator[] = [{ account, key: await keyOf(coordinator.url, account) }]
  const servers = await Promise.all(
    [0, 1].map(() => startServer(coordinator.url, { env: { NOUNKIT_LOG: 'warn' } })),
  )
  await sql`
    INSERT INTO nounkit_idempotency (expires_at, completed_at, fingerprint_version, status, account_id, key, fingerprint)
    SELECT number, 1, 1, 201, 'expired-' || number % 50, 'key-' || number, '' FROM generate_series(1, ${expired}::int) AS number`
  let turn = 0
  const creates = startCreates(() => servers[turn++ % 2] as (typeof servers)[0], creators)
  await creating(creates, creators, 10)
  let sweepers = 0
  let beganAt = 0
  const createdSince = performance.now()
  const before = creates.acknowledged()
  await until(
    async () => {
      const askedAt = performance.now()
      const [seen] = await sql`
        SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE state = 'active'
          AND query LIKE 'DELETE FROM "nounkit_idempotency" WHERE "expires_at"%') AS "sweepers",
          (SELECT count(*)::int FROM nounkit_idempotency WHERE expires_at <= ${expired}) AS "left"`
      sweepers = Math.max(sweepers, seen?.sweepers)
      // The sweep began after this: what a statement deletes is seen when it commits.
      if (seen?.left === expired && seen.sweepers === 0) beganAt = askedAt
      return seen?.left === 0
    },
    { within: 110_000, what: 'the end of the expired keys' },
  )
  const perSecond = (count: number, since: number): number =>
    Math.round((1_000 * count) / (performance.now() - since))
  const swept = perSecond(expired, beganAt)
  const created = perSecond(creates.acknowledged() - before, createdSince)
  await creates.stop()
  await expectExactlyOnce(cluster, creates, creators)
  expect(sweepers).toBeLessThan(2)
  for (const { child } of servers) expect(child.output).not.toMatch(/cannot be deleted|deadlock/)
  task.meta.figure = `${swept} expired keys deleted a second at least, while ${created} keyed creates a second were made`
  expect(swept).toBeGreaterThan(created)
}, 150_000)

test('an unpublished API grows on the cluster; what needs more than additions is refused with what to do', async () => {
  const { url } = cluster.coordinator
  const own = `${url}?search_path=library`
  await cluster.sql`CREATE SCHEMA library`
  const migrate = (fields: string, ...more: string[]) =>
    command(own, 'migrate', declarationFolder(librarySource({ fields })), ...more)
  expect(await migrate('pages: z.int().optional()', '--citus')).toMatchObject({ code: 0 })
  expect(await migrate('pages: z.int().optional(), isbn: z.string().optional()')).toMatchObject({ code: 0 })
  await cluster.sql`
    INSERT INTO library.books (account_id, id, title, pages, created_at, updated_at)
    VALUES ('acme', 'one', 'A title', 500, now(), now())`
  const narrower = await migrate('pages: z.int().max(100).optional(), isbn: z.string().optional()')
  expect(narrower).toMatchObject({ code: 1, output: expect.stringMatching(/1 row of books has a value/) })
  const other = await migrate('pages: z.string().optional(), isbn: z.string().optional()')
  expect(other).toMatchObject({ code: 1, output: expect.stringMatching(/pages/) })
  const library = declarationFolder(
    librarySource({ fields: 'pages: z.int().optional(), isbn: z.string().optional()' }),
  )
  expect(await command(own, 'reset', library)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/Citus cluster.*Nothing was changed/s),
  })
  expect(await countOf('library.books')).toBe(1)
})
