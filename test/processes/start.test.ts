import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import postgres from 'postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { isMistake, run } from '../cli/run.ts'
import { countOf, inStore } from '../crash/stored-rows.ts'
import { nounkit } from '../support/child.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { newKey, type ServerProcess, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'

describe.each(storeKinds)('%s', (kind) => {
  test('three processes that start at once on an empty database all come up; the tables are made and seeded once', async () => {
    const databaseUrl = await emptyDatabase(kind)
    const servers = await Promise.all([1, 2, 3].map(() => startServer(databaseUrl)))
    const key = await newKey(databaseUrl)
    const pages = await Promise.all(
      servers.map((server) => server.call('GET', '/v2/customers?limit=7', { key })),
    )
    expect(pages.map((page) => page.status)).toEqual([200, 200, 200])
    expect(new Set(pages.map((page) => JSON.stringify(JSON.parse(page.text).data))).size).toBe(1)
    // A cursor made by one process is read by the others: the secret was made once as well.
    const cursor = JSON.parse(pages[0]?.text ?? '').page.next_cursor
    for (const server of servers) {
      expect((await server.call('GET', `/v2/customers?limit=7&cursor=${cursor}`, { key })).status).toBe(200)
    }
    await inStore(databaseUrl, async (store) => {
      expect(await countOf(store, '"customers"')).toBe(40)
      expect(await countOf(store, '"products"')).toBe(40)
    })
  })
})

test('a process that starts while another seeds waits for it, longer than a request would wait for a lock', async () => {
  const databaseUrl = await emptyDatabase('postgres')
  const env = { DATABASE_URL: databaseUrl, NOUNKIT_LOCK_TIMEOUT: '100', NOUNKIT_LOG: 'error' }
  expect((await runHere(['migrate', 'examples/shop'], { env })).code).toBe(0)
  const seeding = postgres(databaseUrl, { max: 1 })
  await seeding`begin`
  await seeding`insert into nounkit_meta (key, value) values ('seeded', 'now')`
  const child = nounkit(['serve', 'examples/shop', '--port', '0'], { env })
  const waiting = () => seeding`select 1 from pg_locks where not granted`
  for (let waits = 0; waits < 3; waits++) {
    await until(async () => (await waiting()).length > 0, { every: 10 })
    await until(async () => (await waiting()).length === 0, { every: 10 })
  }
  await seeding`rollback`
  await seeding.end()
  await child.line(/is ready/)
  expect(await inStore(databaseUrl, (store) => countOf(store, '"customers"'))).toBe(40)
})

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenOver(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function failsToServe(
  args: readonly string[],
  env: Record<string, string> = {},
  command: typeof run = run,
): Promise<string> {
  const ran = await command(['serve', 'examples/shop', ...args], {
    env: { DATABASE_URL: await emptyDatabase('sqlite'), NOUNKIT_LOG: 'error', NOUNKIT_RATE: 'off', ...env },
  })
  expect(isMistake(ran), ran.stderr).toBe(true)
  return ran.stderr
}

test.each([[[]], [['--workers', '2']]])(
  'a port in use is named once, with what to do %j',
  async (more: string[]) => {
    const port = await takenPort()
    expect(await failsToServe(['--port', String(port), ...more])).toBe(
      `Port ${port} on 127.0.0.1 is in use. Stop what uses it, or choose another: --port ${port + 1}\n`,
    )
  },
)

test('a port in use for probes and metrics ends it as well', async () => {
  const port = await takenPort()
  expect(await failsToServe(['--port', '0', '--ops-port', String(port)])).toBe(
    `Port ${port} on 127.0.0.1 is in use. Stop what uses it, or choose another: --ops-port ${port + 1}\n`,
  )
})

test('one port for the API and its probes is refused', async () => {
  expect(await failsToServe(['--port', '65535'], { NOUNKIT_OPS_PORT: '65535' }, runHere)).toMatch(
    /^The API and its probes cannot both have port 65535\. Choose another for the probes: --ops-port 65534\n/,
  )
})

test('an empty flag is refused', async () => {
  expect(await failsToServe(['--port', '0', '--host', ''], {}, runHere)).toMatch(
    /^--host is empty\. Write a value after it, or leave it out\.\n/,
  )
})

test('a host that is not this machine is named', async () => {
  expect(await failsToServe(['--port', '0', '--host', '192.0.2.1'], {}, runHere)).toMatch(
    /"192\.0\.2\.1" is not an address of this machine/,
  )
})

test('a setting that cannot be ends the process', async () => {
  expect(await failsToServe(['--port', '70000'])).toMatch(/^--port is "70000"\./)
})

test.each([
  [['--port', '70000'], {}, '--port is "70000". It must be a whole number from 0 to 65535.'],
  [['--port', '80a'], {}, '--port is "80a"'],
  [['--workers', '0'], {}, '--workers is "0". It must be a whole number from 1 to 256.'],
  [[], { PORT: 'http' }, 'PORT is "http". It must be'],
  [[], { NOUNKIT_OPS_PORT: '-1' }, 'NOUNKIT_OPS_PORT is "-1". It must be'],
  [[], { NOUNKIT_LOG: 'loud' }, 'NOUNKIT_LOG is "loud". Write one of silent,'],
  [['--port', '0'], { NOUNKIT_RATE: 'fast' }, 'NOUNKIT_RATE is "fast". Write a number'],
  [[], { NOUNKIT_REDIS_URL: 'redis' }, 'NOUNKIT_REDIS_URL is "redis". Write redis://host:6379'],
  [[], { NOUNKIT_REDIS_URL: 'http://me:secret@x' }, 'NOUNKIT_REDIS_URL is "http://***@x". Write redis://'],
  [[], { NOUNKIT_CLOCK: 'tomorrow' }, 'NOUNKIT_CLOCK is "tomorrow"'],
] as const)('a setting that cannot be is told before a port opens: %j %j', async (args, env, message) => {
  expect(await failsToServe([...args], env, runHere)).toContain(message)
})

describe('a server with empty variables and --ops-port', () => {
  let server: ServerProcess
  beforeAll(async () => {
    const env = { HOST: '', NOUNKIT_LOG: '' }
    server = await startServer(await emptyDatabase('sqlite'), { args: ['--ops-port', '0'], env })
  })

  test('an empty variable is none: only this machine is listened to', () => {
    expect(server.child.stdout).toMatch(/is ready: http:\/\/127\.0\.0\.1:\d+ /)
  })

  test('with a port of their own, probes and metrics are there and nowhere else', async () => {
    const [, side] = await server.child.line(/probes and metrics on (http:[^\s)]+)/)
    expect((await fetch(`${side}/readyz`)).status).toBe(200)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(404)
  })
})
