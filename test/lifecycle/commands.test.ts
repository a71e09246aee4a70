import { describe, expect, test } from 'vitest'
import { awaitRecorders } from '../../src/lifecycle/await-recorders.ts'
import { readGaps } from '../../src/lifecycle/recorder-rows.ts'
import { readOperations } from '../../src/lifecycle/usage-rows.ts'
import { runHere } from '../cli/in-process.ts'
import { isMistake, run as runProcess } from '../cli/run.ts'
import { walkedStores } from '../support/databases.ts'
import { type PreparedApi, prepareShop } from '../support/server-process.ts'
import { describeStores, openForTest } from '../support/stores.ts'

/** After the sunset of v1. */
const env = { NOUNKIT_CLOCK: '+400d' }
const shop = 'examples/shop'

const run = ({ databaseUrl }: PreparedApi, ...args: string[]) =>
  runHere(args, { env: { ...env, DATABASE_URL: databaseUrl } })

describe('the commands around a retirement', () => {
  test('lead from the first call to 410 and back, while the server runs', async () => {
    const prepared = await prepareShop('postgres')
    const server = await prepared.start({ env })
    await server.call('GET', '/v1/orders?filter[status]=open&include=client')
    const email = 'ida@acme.example'
    await server.call('POST', '/v1/clients', { body: { full_name: 'Ida', email, fax: '1' } })

    const asProcess = { env: { ...env, DATABASE_URL: prepared.databaseUrl } }
    const refusal = await runProcess(['retire', shop, 'v1'], asProcess)
    expect(refusal.code).toBe(1)
    expect(refusal.stdout).toMatch(
      /cannot be retired: 1 thing stands in the way\.\n {2}✗ traffic: test of acme/,
    )
    expect(refusal.stdout).toContain('nounkit contact v1 --account acme --consumer test --note "…"')

    const usage = await runProcess(['usage', shop, '--version', 'v1'], asProcess)
    expect(usage.stdout).toMatch(/█ {2}2 calls since/)
    expect(usage.stdout).toMatch(/test +acme +external +2 /)
    for (const words of ['sends `fax`', 'filters by `status`', 'includes `client`', 'calls `/clients`']) {
      expect(usage.stdout).toContain(`still ${words}`)
    }

    const guide = await run(prepared, 'guide', shop, 'v1', 'v2', '--affected')
    expect(guide.stdout).toMatch(/`clients\.fax` is gone[^#]+Still in use by: test of acme\./)

    const typo = await run(prepared, 'contact', shop, 'v1', '--consumer', 'tset', '--note', 'mail')
    expect([typo.code, typo.stderr]).toEqual([1, expect.stringContaining('Did you mean "test"?')])
    const told = await run(prepared, 'contact', shop, 'v1', '--consumer', 'test', '--note', 'mail to Ida')
    expect([told.code, told.stderr]).toEqual([0, ''])

    const decided = await run(prepared, 'retire', shop, 'v1', '--json', '--by', 'ada')
    expect(decided.code).toBe(0)
    expect(JSON.parse(decided.stdout)).toMatchObject({ version: 'v1', retired: true, blockers: [] })
    const gone = { timeout: 60_000, message: 'the running server follows' }
    await expect.poll(async () => (await server.call('GET', '/v1/orders')).status, gone).toBe(410)

    expect((await run(prepared, 'retire', shop, 'v1', '--undo', '--note', 'a late call')).code).toBe(0)
    await expect.poll(async () => (await server.call('GET', '/v1/orders')).status, gone).toBe(200)
    expect((await run(prepared, 'retire', shop, 'v1', '--undo')).code).toBe(1)
  })
})

describeStores(
  'the end of a process',
  (stores) => {
    test('a server that is killed leaves a gap, one that is asked to stop leaves its counts', async () => {
      const prepared = await prepareShop(stores.kind)
      const store = await openForTest(prepared.databaseUrl)
      const clock = { now: () => Date.now() + 400 * 86_400_000 }
      const served = async () => {
        const rows = await readOperations(store, { since: 0, account: null })
        return rows.reduce((sum, { calls }) => sum + calls, 0)
      }
      const asked = await prepared.start({ env })
      await asked.call('GET', '/v1/orders')
      await asked.child.kill('SIGTERM')
      expect(await served()).toBe(1)
      await awaitRecorders(store, clock, { patienceMs: 300 })
      expect(await readGaps(store, 0)).toEqual([])

      const killed = await prepared.start({ env })
      await killed.call('GET', '/v1/orders')
      await killed.child.kill('SIGKILL')
      await awaitRecorders(store, clock, { patienceMs: 300 })
      expect(await readGaps(store, 0)).toHaveLength(1)
      const { code, stdout } = await run(prepared, 'retire', shop, 'v1', '--dry-run')
      expect([code, stdout]).toEqual([1, expect.stringContaining('✗ recording-gap')])
    })
  },
  walkedStores,
)

test.each([
  [['retire', shop, 'v1', '--window', '30'], '--window is "30"'],
  [['retire', shop, 'v1', '--undo', '--dry-run'], 'cannot be combined'],
  [['contact', shop, 'v1', '--note', 'mail'], '--consumer NAME'],
  [['contact', shop, 'v1', '--consumer', 'test'], '--note'],
] as const)('%s is refused before the store is opened', async (args, message) => {
  const ran = await runHere(args, { env: { DATABASE_URL: 'sqlite:/nowhere/at/all.db' } })
  expect(isMistake(ran), ran.stderr).toBe(true)
  expect(ran.stderr).toContain(message)
})
