import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

interface Line {
  readonly workload: string
  readonly contender: string
  readonly perSecond: number
}

const workload = 'list of 25 with customer'
/** Small and short: what it measures means nothing, that it measures does. */
const small = ['--orders', '1000', '--rounds', '1', '--seconds', '0.3', '--only', workload, '--json']

test('the benchmark finds that all contenders give the same answers, and times each of them', async () => {
  const script = ['--conditions=nounkit-source', 'bench/run.ts', ...small]
  const { stdout, stderr } = await run(process.execPath, script)
  const results = JSON.parse(stdout) as { readonly [store: string]: { readonly lines: readonly Line[] } }
  expect(Object.keys(results)).toEqual(['SQLite', 'PostgreSQL'])
  for (const [store, { lines }] of Object.entries(results)) {
    expect(stderr).toContain(`${store}: all contenders give the same answers`)
    const contenders = ['floor', 'fastify', 'nounkit v2', 'nounkit v1']
    expect(lines).toEqual(contenders.map((contender) => expect.objectContaining({ workload, contender })))
    for (const { perSecond } of lines) expect(perSecond).toEqual(expect.any(Number))
  }
})
