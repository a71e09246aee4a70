import { expect, inject, test } from 'vitest'
import { postgresSettings } from '../../src/store/postgres/postgres-settings.ts'
import { inTokyo } from '../support/databases.ts'
import { refusal } from '../support/store-refusal.ts'
import { openForTest } from '../support/stores.ts'

const base = 'postgres://me:secret@db.example:5433/shop'

test('the URL wins over the environment, and both over the defaults', () => {
  expect(postgresSettings(base, {})).toMatchObject({
    hosts: [{ name: 'db.example:5433', url: base }],
    target: 'any',
    address: 'db.example:5433/shop',
    pool: 10,
    statementMs: 10_000,
    lockMs: 5_000,
    ssl: false,
    pgbouncer: false,
  })
  const env = { NOUNKIT_POOL: '3', NOUNKIT_PGBOUNCER: '1', NOUNKIT_STATEMENT_TIMEOUT: '2000' }
  expect(postgresSettings(base, env)).toMatchObject({ pool: 3, pgbouncer: true, statementMs: 2_000 })
  const url = `${base}?pool=4&pgbouncer=false&sslmode=require&application_name=x`
  expect(postgresSettings(url, env)).toMatchObject({
    hosts: [{ url: base }],
    parameters: { application_name: 'x' },
    pool: 4,
    pgbouncer: false,
    ssl: 'require',
  })
})

test('a host that is not said is the one the driver takes', () => {
  expect(postgresSettings('postgres://', {}).address).toBe('localhost')
  expect(postgresSettings('postgres://me:secret@/shop', { PGHOST: 'db.example' }).address).toBe(
    'db.example/shop',
  )
  expect(postgresSettings('postgres:///shop?host=/run/postgresql', {}).address).toBe('/run/postgresql/shop')
})

test('certificates are checked where they should be', () => {
  expect(postgresSettings(`${base}?sslmode=verify-full`, {}).ssl).toEqual({ rejectUnauthorized: true })
  expect(() => postgresSettings(`${base}?sslmode=yes`, {})).toThrow(/sslmode is "yes"/)
  expect(() => postgresSettings(`${base}?sslmode=verify-full&sslrootcert=/no/where`, {})).toThrow(
    /cannot be read/,
  )
})

test('a setting that is no number is refused by name', () => {
  expect(() => postgresSettings(`${base}?pool=many`, {})).toThrow(/pool \(or NOUNKIT_POOL\) is "many"/)
})

test('a server that cannot be used says why, without the password', async () => {
  const message = await refusal('postgres://me:secret@127.0.0.1:1/shop')
  expect(message).toMatch(/127\.0\.0\.1:1\/shop cannot be used.*Nothing listens there/)
  expect(message).not.toContain('secret')
  const unescaped = await refusal('postgres://me:sec/ret@127.0.0.1:1/shop')
  expect(unescaped).toMatch(/127\.0\.0\.1:1\/shop cannot be used: Invalid URL.*as %2F and %40/)
  expect(unescaped).not.toContain('sec')
  const missing = new URL(inject('postgresUrl'))
  missing.pathname = '/no_such_database'
  expect(await refusal(missing.href)).toMatch(/That database does not exist/)
})

test('every session is in UTC with its time limits', async () => {
  const store = await openForTest(`${await inTokyo()}?statement_timeout=1234&lock_timeout=567`)
  const settings = ['TimeZone', 'statement_timeout', 'lock_timeout', 'application_name']
  const rows = await Promise.all(settings.map((name) => store.first(`SELECT current_setting('${name}')`, [])))
  expect(rows.flat()).toEqual(['UTC', '1234ms', '567ms', 'nounkit'])
})

test('parameters that are not ours go to the server, and win over what we would say', async () => {
  const store = await openForTest(
    `${inject('postgresUrl')}?search_path=${encodeURIComponent('"my \\shop",public')}&random_page_cost=3&application_name=mine&options=${encodeURIComponent('-c work_mem=5MB')}`,
  )
  const settings = ['search_path', 'random_page_cost', 'application_name', 'work_mem', 'TimeZone']
  const rows = await Promise.all(settings.map((name) => store.first(`SELECT current_setting('${name}')`, [])))
  expect(rows.flat()).toEqual(['"my \\shop",public', '3', 'mine', '5MB', 'UTC'])
})

test('parameters of other clients are refused by name, and no part of a password is ever shown', () => {
  for (const name of ['channel_binding', 'ssl', 'sslcert', 'keepalives_idle', 'database'])
    expect(() => postgresSettings(`${base}?${name}=x`, {})).toThrow(`The database URL has "${name}"`)
  for (const password of ['p@ss', 'p/ss', 'p:ss', 'p?ss'])
    expect(postgresSettings(`postgres://me:${password}@db.example/shop`, {}).address).toBe('db.example/shop')
})
