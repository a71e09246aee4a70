import { join, resolve } from 'node:path'
import { expect, inject, test } from 'vitest'
import { program } from '../support/child.ts'
import { whenOver } from '../support/clean-up.ts'
import { startFaultyProxy } from '../support/faulty-proxy.ts'
import { installedBun } from '../support/installed-bun.ts'
import { listeningShop } from '../support/listening-shop.ts'

const root = resolve(import.meta.dirname, '../..')
const bun = installedBun()

/** Those of retries are not among them: the proxy would be in Bun too, whose server cannot break a connection. */
const files = ['what-is-sent-again', ...(process.env.NOUNKIT_NIGHTLY === '1' ? ['calls', 'follow'] : [])]

test.skipIf(!bun)('the tests of the client pass in Bun (skipped where Bun is not installed)', async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const run = program(
    bun ?? '',
    [
      '--bun',
      '--conditions=nounkit-source',
      vitest,
      'run',
      ...files.map((name) => `test/client/${name}.test.ts`),
      '--maxWorkers=1',
    ],
    { env: { NOUNKIT_TEST_POSTGRES_URL: inject('postgresUrl'), NO_COLOR: '1', VITEST: undefined } },
  )
  const { code } = await run.ended
  expect([code, /\d+ passed/.test(run.output)], run.output).toEqual([0, true])
})

test.skipIf(!bun)(
  'a program in Bun makes one row over broken connections, and follows what happens to it (skipped where Bun is not installed)',
  async () => {
    const shop = await listeningShop()
    whenOver(() => shop.close())
    const proxy = await startFaultyProxy(`http://127.0.0.1:${shop.port}`)
    proxy.next('cut', 'half', 'drop')
    const script = join(root, 'test/runtimes/bun-client-program.ts')
    const run = program(bun ?? '', ['run', script, proxy.url, shop.key])
    const { code } = await run.ended
    expect([code, run.stdout], run.output).toEqual([0, 'Ada,Eve 4 customers.updated,name 412\n'])
  },
)
