import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { nodeScript } from '../support/child.ts'
import { emptyDatabase, storeKinds, walkedStores } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { newKey, startServer } from '../support/server-process.ts'
import { openForTest } from '../support/stores.ts'
import { runHere } from './in-process.ts'
import { isMistake, run } from './run.ts'

const source = (fields: string, more = '') => `
import { api, resource, version, was } from 'nounkit'
import { z } from 'zod'
const things = resource('things', { fields: { ${fields} } })
const rows = [{ label: 'lamp', cost: '12' }, { label: 'chair', cost: 'much' }]
const account = () => rows.map((values, at) => ({ resource: 'things', values: { id: '01890a5d-ac96-774b-bcce-00000000000' + at, ...values } }))
export default api('market', { resources: [things], seed: { accounts: ['acme'], account }, ${more} })
`
const first = declarationFolder(source('label: z.string(), cost: z.string()'))
const next = declarationFolder(source('label: z.string().optional(), price: was("cost", z.int().optional())'))
const promised = declarationFolder(
  source('label: z.string(), cost: z.string()', `versions: [version('v1', { published: '2026-01-01' })]`),
)

const halfWay = fileURLToPath(new URL('../store/follow-half.ts', import.meta.url))

const on = (url: string) => {
  const command = (...args: string[]) => runHere(args, { env: { DATABASE_URL: url } })
  const rows = async (column: string) => {
    const store = await openForTest(url)
    return (await store.all(`SELECT "label", "${column}" FROM "things" ORDER BY "id"`, [])).map((row) => [
      ...row,
    ])
  }
  return { command, rows }
}

test.each(storeKinds)(
  'migrate says what it does, loses nothing without a word, and is whole or not at all (%s)',
  async (kind) => {
    const url = await emptyDatabase(kind)
    const { command, rows } = on(url)
    expect(await command('migrate', first)).toMatchObject({ code: 0 })
    expect(await command('reset', first, '--seed')).toMatchObject({
      code: 0,
      stdout: 'The store of market has only the rows of its seed now. API keys are still valid.\n',
    })
    const half = nodeScript(halfWay, [url, join(next, 'api.ts'), 'RENAME TO'])
    await half.line(/half-way/)
    await half.kill('SIGKILL')
    const before = [
      ['lamp', '12'],
      ['chair', 'much'],
    ]
    expect(await rows('cost')).toEqual(before)
    const [planned, refused] = await Promise.all([
      command('migrate', next, '--dry-run'),
      command('migrate', next),
    ])
    expect(planned).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^things\.label is optional now\.\nthings\.price was cost\.\n.*1 row of things has a value .* would become null\.\n4 steps would be applied\.\n$/s,
      ),
    })
    expect(isMistake(refused)).toBe(true)
    expect(refused.stderr).toMatch(/such as "much": it would become null\.\nUse --accept-data-loss to do it/)
    expect(await rows('cost')).toEqual(before)
    // Of two at once, one does it, and the other waits and finds it done.
    const both = await Promise.all(
      [1, 2].map(() => run(['migrate', next, '--accept-data-loss'], { env: { DATABASE_URL: url } })),
    )
    expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(await rows('price')).toEqual([
      ['lamp', 12],
      ['chair', null],
    ])
  },
)

describe.each(walkedStores)('a store with others around it (%s)', (kind) => {
  test('a process that serves the older declaration is named; with --force it ends, and writes nothing more', async () => {
    const url = await emptyDatabase(kind)
    const { command } = on(url)
    const server = await startServer(url, { api: first })
    const key = await newKey(url)
    const refused = await command('migrate', next, '--accept-data-loss')
    expect(isMistake(refused)).toBe(true)
    expect(refused.stderr).toContain(`process ${server.child.pid} on`)
    // An addition is made under it.
    const grown = declarationFolder(source('label: z.string(), cost: z.string(), size: z.int().optional()'))
    expect(await command('migrate', grown)).toMatchObject({ code: 0 })
    expect((await server.call('POST', '/v1/things', { key, body: { label: 'a', cost: 'b' } })).status).toBe(
      201,
    )
    expect(await command('migrate', next, '--accept-data-loss', '--force')).toMatchObject({ code: 0 })
    expect(await server.child.ended).toEqual({ code: 3, signal: null })
    // Started again, it refuses with the command that helps.
    const late = await command('serve', first, '--port', '0')
    expect(isMistake(late)).toBe(true)
    expect(late.stderr).toMatch(/Run nounkit migrate, which keeps the rows/)
  })

  test('once a version is published, the store only grows, and reset needs the name of the API', async () => {
    const { command, rows } = on(await emptyDatabase(kind))
    for (const args of [
      ['publish', promised, 'v1', '--skip-store'],
      ['migrate', promised],
    ])
      expect(await command(...args)).toMatchObject({ code: 0 })
    const [flags, copy, mistaken, reset, other] = await Promise.all([
      command('migrate', promised, '--accept-data-loss'),
      command('migrate', next),
      command('migrate', next, '--fill', 'things.prize=3'),
      command('reset', promised),
      command('reset', next, '--force', 'markets'),
    ])
    expect(flags.stderr).toMatch(
      /^--fill and --accept-data-loss are for an API without a published version, and v1 is/,
    )
    expect(copy.stderr).toMatch(
      /^This store has been served with a published version \(v1\), of which this declaration/,
    )
    expect(mistaken.stderr).toContain('things has no field "prize". Did you mean "price"?')
    expect(reset.stderr).toMatch(/^The API has a published version \(v1\).* use --force market\.\n$/)
    expect(other.stderr).toBe("--force markets: the API's name is market. Nothing was changed.\n")
    expect(await command('reset', next, '--force', 'market')).toMatchObject({
      code: 0,
      stdout: 'The store of market is empty now. API keys are still valid.\n',
    })
    expect(await rows('price')).toEqual([])
  })
})
