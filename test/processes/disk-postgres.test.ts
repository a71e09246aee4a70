import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillDisk, isReady } from '../support/full-disk.ts'
import { largestFile } from '../support/largest-file.ts'
import { type OwnPostgres, startPostgres } from '../support/own-postgres.ts'
import { newKey, type Reply, type ServerProcess, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'

let database: OwnPostgres
let admin: postgres.Sql
let server: ServerProcess
let key: string

beforeAll(async () => {
  // No file of the server is larger than 4 MB, segments of its log included. Vacuuming by itself would make room at any time.
  database = await startPostgres(
    { autovacuum: 'off', max_wal_size: '64MB' },
    { under: largestFile(4), initdb: ['--wal-segsize=1'] },
  )
  server = await startServer(database.url)
  key = await newKey(database.url)
  admin = postgres(database.url, { max: 1, onnotice: () => {} })
})
afterAll(async () => {
  await admin?.end()
  await database?.stop()
})

const create = (name: string): Promise<Reply> =>
  server.call('POST', '/v2/customers', {
    key,
    idempotencyKey: name,
    body: { name: name.padEnd(200, '.'), email: `${name}@disk.example` },
  })

/** Syncs of the write-ahead log so far, by any process of the server. */
const syncs = async (): Promise<number> => {
  const [row] = await admin`SELECT sum(fsyncs)::int AS "count" FROM pg_stat_io WHERE object = 'wal'`
  return row?.count ?? 0
}

test('every commit is synced to the disk before it is answered', async () => {
  const before = await syncs()
  for (let at = 0; at < 20; at++) expect((await create(`synced-${at}`)).status).toBe(201)
  // The server's processes add up their counts at intervals.
  await until(async () => (await syncs()) >= before + 20, { every: 200, what: 'twenty syncs' })
})

test('a slow disk delays answers and loses none', async () => {
  await admin.unsafe('ALTER SYSTEM SET commit_siblings = 0')
  await admin.unsafe('ALTER SYSTEM SET commit_delay = 100000')
  await admin.unsafe('SELECT pg_reload_conf()')
  const replies = await Promise.all(Array.from({ length: 60 }, (_, at) => create(`slow-${at}`)))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
  await admin.unsafe('ALTER SYSTEM RESET ALL')
  await admin.unsafe('SELECT pg_reload_conf()')
})

test('while the disk takes no more, creates are 503 with the reason and reads go on; with room, creates resume and nothing acknowledged is lost', async () => {
  await expect(fill()).rejects.toThrow(/could not extend file/)
  const { acknowledged, refused } = await fillDisk(server, create, 500)
  expect((await server.call('GET', '/v2/customers?limit=1', { key })).status).toBe(200)

  await admin.unsafe('VACUUM FULL "customers"')
  // Nobody calls meanwhile: a load balancer sends nothing to a process that is not ready.
  await until(() => isReady(server), { what: 'the process noticing that there is room' })
  expect((await create(refused)).status).toBe(201)
  for (const [key, first] of acknowledged) expect((await create(key)).text).toBe(first.text)
})

/** Adds rows of another account until a file of the table may not grow. The rows go, but the file keeps its size. */
const fill = () =>
  admin.unsafe(
    `INSERT INTO "customers" SELECT (jsonb_populate_record(NULL::"customers", to_jsonb(c) || jsonb_build_object(
       'id', c."id" || n, 'account_id', 'filler', 'email', n || '@filler.example', 'name', repeat('x', 120)))).*
     FROM (SELECT * FROM "customers" LIMIT 1) c, generate_series(1, 200000) n`,
  )
