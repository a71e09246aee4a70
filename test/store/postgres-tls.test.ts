import { chmodSync, chownSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { whenOver } from '../support/clean-up.ts'
import { temporaryFolder } from '../support/databases.ts'
import { type OwnPostgres, startPostgres } from '../support/own-postgres.ts'
import { serverUser } from '../support/postgres-binaries.ts'
import { refusal } from '../support/store-refusal.ts'
import { openForTest } from '../support/stores.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

/** A self-signed certificate for localhost and 127.0.0.1, used by these tests only. */
const certificate = new URL('../support/certificate/certificate.pem', import.meta.url).pathname
const certificateKey = new URL('../support/certificate/key.pem', import.meta.url).pathname

let server: OwnPostgres
let port: string

beforeAll(async () => {
  const folder = temporaryFolder()
  const user = serverUser()
  const key = join(folder, 'key.pem')
  const rules = join(folder, 'hba.conf')
  copyFileSync(certificateKey, key)
  copyFileSync(certificate, join(folder, 'certificate.pem'))
  writeFileSync(rules, 'hostssl all guest 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust\n')
  chmodSync(folder, 0o755)
  chmodSync(key, 0o600)
  if (user.uid !== undefined) chownSync(key, user.uid, user.gid)
  server = await startPostgres({
    ssl: 'on',
    ssl_cert_file: join(folder, 'certificate.pem'),
    ssl_key_file: key,
    hba_file: rules,
  })
  whenOver(() => server.stop())
  port = new URL(server.url).port
  const store = await openStore(server.url)
  await store.session((session) =>
    session.script(`CREATE ROLE guest LOGIN PASSWORD 'open sesame'; GRANT CREATE ON SCHEMA public TO guest`),
  )
  await store.close()
})

const guest = (rest: string, host = 'localhost'): string =>
  `postgres://guest:open%20sesame@${host}:${port}/postgres?${rest}`

const isEncrypted = async (url: string): Promise<boolean> => {
  const store = await openForTest(url)
  const row = await store.first('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()', [])
  return row?.[0] === 1
}

test('require encrypts, and a password is proved without being sent', async () => {
  expect(await isEncrypted(guest('sslmode=require'))).toBe(true)
})

test('verify-full asks who answers', async () => {
  expect(await isEncrypted(guest(`sslmode=verify-full&sslrootcert=${certificate}`))).toBe(true)
  expect(await isEncrypted(guest(`sslmode=verify-full&sslrootcert=${certificate}`, '127.0.0.1'))).toBe(true)
  expect(await refusal(guest('sslmode=verify-full'))).toMatch(/self-signed certificate/)
})

test('prefer encrypts where the server can, and goes on where it cannot', async () => {
  expect(await isEncrypted(guest('sslmode=prefer'))).toBe(true)
  expect(await isEncrypted(`${inject('postgresUrl')}?sslmode=prefer`)).toBe(false)
  expect(await isEncrypted(`${server.url}?sslmode=disable`)).toBe(false)
})

test('what does not fit is said, with what to do, and without the password', async () => {
  const messages = {
    plain: await refusal(guest('sslmode=disable')),
    wrong: await refusal(guest('sslmode=require').replace('sesame', 'barley')),
    missing: await refusal(guest('sslmode=require').replace(':open%20sesame', '')),
    without: await refusal(`${inject('postgresUrl')}?sslmode=require`),
  }
  expect(messages.plain).toContain('add sslmode=require to the URL')
  expect(messages.wrong).toContain('The password is wrong')
  expect(messages.missing).toContain('check that the URL has a password')
  expect(messages.without).toContain('The server has no TLS')
  for (const message of Object.values(messages)) expect(message).not.toContain('sesame')
})

test('an encrypted connection that drops fails what is on its way, and the next is made', async () => {
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(port) })
  const url = new URL(guest('sslmode=require&pool=1'))
  url.port = String(proxy.port)
  const store = await openForTest(url.href)
  const write = store.writeOne('SELECT pg_sleep(5)::text', [])
  setTimeout(proxy.cut, 50)
  await expect(write).rejects.toMatchObject({ name: 'StoreError', kind: 'unavailable' })
  expect(await store.first('SELECT 7', [])).toEqual([7])
})
