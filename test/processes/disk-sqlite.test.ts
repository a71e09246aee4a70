import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/databases.ts'
import { fillDisk, isReady } from '../support/full-disk.ts'
import { largestFile } from '../support/largest-file.ts'
import { dataOf, prepareShop, type Reply, type ServerProcess } from '../support/server-process.ts'
import { syncsTraced } from '../support/traced.ts'
import { until } from '../support/until.ts'
import { figure } from './figures.ts'

const create = (server: ServerProcess, name: string): Promise<Reply> =>
  server.call('POST', '/v2/customers', {
    idempotencyKey: name,
    body: { name: name.padEnd(100, '.'), email: `${name}@disk.example` },
  })

const fileOf = (databaseUrl: string): string => databaseUrl.slice('sqlite:'.length)

test('while the disk takes no more, creates are 503 with the reason and reads go on; with room, creates resume and nothing acknowledged is lost', async () => {
  const shop = await prepareShop('sqlite')
  // The write-ahead log grows to 16 MB before it is copied into the file, so it reaches the limit first.
  const server = await shop.start({ under: largestFile(1) })
  const { acknowledged, refused } = await fillDisk(server, (name) => create(server, name), 2_000)
  const last = dataOf([...acknowledged.values()].at(-1) as Reply)
  expect((await server.call('GET', `/v2/customers/${last.id}`)).status).toBe(200)

  const other = new DatabaseSync(fileOf(shop.databaseUrl))
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  // Nobody calls meanwhile: a load balancer sends nothing to a process that is not ready.
  await until(() => isReady(server), { what: 'the process noticing that there is room' })
  expect((await create(server, refused)).status).toBe(201)
  for (const [key, first] of acknowledged) expect((await create(server, key)).text).toBe(first.text)
  const { rows } = other
    .prepare(`SELECT count(*) AS "rows" FROM "customers" WHERE "email" LIKE 'full-%'`)
    .get() as { rows: number }
  expect(rows).toBe(acknowledged.size + 1)
  expect(other.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  other.close()
})

test('every commit is synced to the disk before it is answered, and a slow disk delays answers but loses none', async () => {
  const shop = await prepareShop('sqlite')
  const trace = join(temporaryFolder(), 'trace')
  const server = await shop.start({ under: syncsTraced(trace, 30) })
  const syncs = (): number =>
    existsSync(trace) ? (readFileSync(trace, 'utf8').match(/sync\(\d+<[^>]*-wal>\) += 0/g)?.length ?? 0) : 0

  const before = syncs()
  for (let at = 0; at < 10; at++) expect((await create(server, `one-${at}`)).status).toBe(201)
  await until(() => syncs() >= before + 10, { what: 'ten syncs of ten commits' })

  const [syncsBefore, commitsBefore] = [syncs(), await figure(server, 'nounkit_store_commits_total')]
  const replies = await Promise.all(Array.from({ length: 200 }, (_, at) => create(server, `many-${at}`)))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
  const commits = (await figure(server, 'nounkit_store_commits_total')) - commitsBefore
  await until(() => syncs() >= syncsBefore + commits, { what: `${commits} syncs of ${commits} commits` })
})
