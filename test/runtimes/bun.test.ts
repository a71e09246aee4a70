import { globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, test } from 'vitest'
import { program } from '../support/child.ts'
import { installedBun } from '../support/installed-bun.ts'
import { notInBun } from './not-in-bun.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const bun = installedBun()

const nightly = process.env.NOUNKIT_NIGHTLY === '1'

/** Small files that use the most of the store and of the server, on bun:sqlite. The nightly form runs all, on PostgreSQL too. */
const some = ['as-library', 'bulk', 'events', 'hooks', 'mounted', 'store-takes-no-writes', 'sums'].map(
  (name) => `test/http/${name}.test.ts`,
)
const byName = nightly ? globSync('test/http/*.test.ts', { cwd: root }) : some
const files = [...byName, 'test/runtimes/ways-in.test.ts']

test.skipIf(!bun)('the HTTP tests pass in Bun (skipped where Bun is not installed)', async () => {
  const notHere = [...(nightly ? [] : ['(postgres)']), ...notInBun.flatMap(([, ...names]) => names)]
  const leftOut = notHere.map((name) => name.replaceAll(/\W/g, '.'))
  const run = program(
    bun ?? '',
    [
      '--bun',
      '--conditions=nounkit-source',
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      ...files,
      '--maxWorkers=1',
      '--reporter=dot',
      `--testNamePattern=^(?!.*(${leftOut.join('|')}))`,
    ],
    {
      env: { NOUNKIT_TEST_POSTGRES_URL: inject('postgresUrl'), NO_COLOR: '1', VITEST: undefined },
    },
  )
  const { code } = await run.ended
  expect(code, run.output.replaceAll(/^[·-]+$/gm, '')).toBe(0)
})
