import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { walkedStores } from '../support/databases.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'nounkit-bench-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const workload = 'list of 25 with customer'
const names = { sqlite: 'SQLite', postgres: 'PostgreSQL' }
const stores = walkedStores.map((kind) => [kind, names[kind]] as const)
/** Small and short: the test checks that the benchmark runs, not its figures. */
const small = ['--orders', '1000', '--rounds', '1', '--seconds', '0.1', '--only', workload]

test('the shop with a rule is measured beside the shop without, and has an aim', async () => {
  const name = "one of a customer's orders"
  const { stdout } = await run(process.execPath, [
    'bench/run.ts',
    '--store',
    'sqlite',
    ...small.slice(0, -1),
    name,
  ])
  expect(stdout).toMatch(new RegExp(`^\\| ${name} \\| nounkit v2 with a rule \\|`, 'm'))
  expect(stdout).toMatch(new RegExp(`^\\| ${name}, with a rule : without \\| ≥ 0\\.90 \\|`, 'm'))
})

test.each(stores)(
  'on %s all contenders give the same answers, and the benchmark prints a row for each and every aim',
  async (flag, store) => {
    const file = join(folder, `${flag}.json`)
    const { stdout, stderr } = await run(process.execPath, [
      'bench/run.ts',
      '--store',
      flag,
      ...small,
      '--json',
      file,
    ])
    expect(stderr).toContain(`${store}: all contenders give the same answers`)
    const cells = stdout.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
    const measured = cells.filter(([, name]) => name === workload).map(([, , contender]) => contender)
    expect(measured).toEqual(['floor', 'fastify', 'nounkit v2', 'nounkit v1'])
    const aims = cells.filter(([, , aim]) => /^[≥≤]/.test(aim ?? '')).map(([, what]) => what)
    expect(aims).toEqual([`${workload} : floor`, `${workload}, v1 : v2`, `p99 of ${workload} : floor`])
    const report = JSON.parse(readFileSync(file, 'utf8'))
    expect(report[store].lines).toHaveLength(measured.length)
    expect(report[store].aims).toHaveLength(aims.length)
  },
)

test.each(stores)(
  'on %s events are read, streamed and delivered, and each has a row with its aim',
  async (flag, store) => {
    const file = join(folder, `events-${flag}.json`)
    const few = ['--orders', '1000', '--rounds', '1', '--seconds', '0.2', '--only', 'events']
    const { stdout } = await run(process.execPath, ['bench/run.ts', '--store', flag, ...few, '--json', file])
    const { events, lines } = JSON.parse(readFileSync(file, 'utf8'))[store]
    expect(lines).toEqual([])
    expect(events).toHaveLength(7)
    for (const { what, measured } of events) {
      expect(measured, what).toEqual(expect.any(Number))
      expect(stdout).toContain(`| ${what} | `)
    }
  },
)
