import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { migrateStore } from '../../src/migrate/migrate-store.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase, inTokyo, temporaryFolder } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { serverUser } from '../support/postgres-binaries.ts'
import { openForTest } from '../support/stores.ts'
import { systemProgram } from '../support/system-program.ts'
import { until } from '../support/until.ts'
import { booksModel } from './books.ts'

/** PgBouncer in transaction mode with fewer server connections than we have clients. */
async function startPgBouncer(database: string): Promise<string> {
  const { hostname, port, username } = new URL(inject('postgresUrl'))
  const folder = temporaryFolder()
  const listen = await freePort()
  const user = serverUser()
  writeFileSync(join(folder, 'users.txt'), `"${username}" ""\n`)
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${listen}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${folder}/users.txt\npool_mode = transaction\ndefault_pool_size = 3\nmax_client_conn = 50\n`,
  )
  chmodSync(folder, 0o755)
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  const bouncer = spawn(systemProgram('pgbouncer', 'pgbouncer'), [join(folder, 'pgbouncer.ini')], {
    ...user,
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  whenOver(async () => {
    if (bouncer.exitCode !== null) return
    const ended = once(bouncer, 'exit')
    bouncer.kill('SIGKILL')
    await ended
  })
  return `postgres://${username}@127.0.0.1:${listen}${new URL(database).pathname}`
}

test('everything works through PgBouncer in transaction mode', async () => {
  const direct = await inTokyo()
  const url = `${await startPgBouncer(direct)}?pgbouncer=true&pool=8`
  const store = await until(() => openForTest(url), { what: 'PgBouncer answering' })
  expect(await store.first(`SELECT current_setting('TimeZone')`, [])).toEqual(['UTC'])
  const model = booksModel({ sort: ['title'] })
  expect((await migrateStore(store, model)).applied).toBe(true)
  expect((await migrateStore(store, booksModel({ sort: ['title', 'genre'] }))).applied).toBe(true)

  const insert = 'INSERT INTO "nounkit_meta" ("key", "value") VALUES ($1::text, $2::text) RETURNING "key"'
  const writes = Array.from({ length: 60 }, (_, at) =>
    at % 2 === 0
      ? store.writeOne(insert, [`k${at}`, 'v'])
      : store.transaction(async (tx) => {
          await tx.first(insert, [`k${at}`, 'v'])
          return tx.first('SELECT "value" FROM "nounkit_meta" WHERE "key" = $1::text', [`k${at}`])
        }),
  )
  expect(await Promise.all(writes)).toHaveLength(60)
  expect(await store.first(`SELECT count(*)::int FROM "nounkit_meta" WHERE "key" LIKE 'k%'`, [])).toEqual([
    60,
  ])

  const limits = await store.transaction(async (tx) => [
    await tx.first(`SELECT current_setting('lock_timeout')`, []),
    await tx.first(`SELECT current_setting('TimeZone')`, []),
  ])
  expect(limits).toEqual([['5s'], ['UTC']])
})

test('without the setting PgBouncer’s refusal says which one to add', async () => {
  const url = await startPgBouncer(await emptyDatabase('postgres'))
  const message = await until(async () => {
    const error = await openForTest(url).catch((thrown: unknown) => thrown)
    return error instanceof Error && /PgBouncer/.test(error.message) ? error.message : null
  })
  expect(message).toContain('add pgbouncer=true to the URL')
})
