import { cpSync } from 'node:fs'
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
import { api, removeField, resource, version, was } from 'nounkit'
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
    const half = nodeScript(halfWay, [url, join(next, 'api.ts'), 'RENAME (TO|COLUMN)'])
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
        /^-- .* Older processes do not survive it\.\n.*\nthings\.label is optional now\.\nthings\.price was cost\.\n.*1 row of things has a value .* would become null\.\n\d+ steps would be applied\.\n$/s,
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

test.each(storeKinds)(
  'migrate says every loss before and after it, and computes a sum once a version is published (%s)',
  async (kind) => {
    const { command, rows } = on(await emptyDatabase(kind))
    expect(await command('migrate', first)).toMatchObject({ code: 0 })
    expect(await command('reset', first, '--seed')).toMatchObject({ code: 0 })
    const optional = declarationFolder(source('label: z.string(), cost: z.string().optional()'))
    expect(await command('migrate', optional)).toMatchObject({
      stdout: 'things.cost is optional now.\n1 step was applied.\n',
    })
    const short = declarationFolder(source('label: z.string(), cost: z.string().max(2).optional()'))
    const unfit = 'a value that things.cost does not allow any more, such as "much": it'
    expect(await command('migrate', short, '--dry-run')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        `\n1 row of things has ${unfit} would become null.\n[0-9]+ steps would be applied.\n$`,
      ),
    })
    expect(await command('migrate', short, '--accept-data-loss')).toMatchObject({
      code: 0,
      stdout: `1 row of things had ${unfit} became null.\nNothing else was changed.\n`,
    })
    expect(await rows('cost')).toEqual([
      ['lamp', '12'],
      ['chair', null],
    ])
    const without = declarationFolder(source('label: z.string()'))
    const gone = 'things.cost is no longer declared'
    expect(await command('migrate', without, '--accept-data-loss')).toMatchObject({
      stdout: `${gone}.\n${gone}: its values in 1 row were lost.\n1 step was applied.\n`,
    })
    expect(await command('migrate', without)).toMatchObject({
      stdout: 'The store fits the declaration. Nothing to do.\n',
    })
    const boxes = (sums: string, more = '') =>
      declarationFolder(`
import { api, belongsTo, hasMany, resource, sum, version } from 'nounkit'
import { z } from 'zod'
const id = (at) => '01890a5d-ac96-774b-bcce-00000000000' + at
const things = resource('things', { fields: { label: z.string(), ${sums} }, relations: { parts: hasMany('parts') } })
const parts = resource('parts', { fields: { grams: z.int(), pieces: z.int() }, relations: { thing: belongsTo('things') } })
const account = () => [
  { resource: 'things', values: { id: id(1), label: 'lamp' } },
  { resource: 'things', values: { id: id(2), label: 'chair' } },
  ...[5, 7].map((grams, at) => ({ resource: 'parts', values: { id: id(3 + at), grams, pieces: 2, thing_id: id(1) } })),
]
export default api('market', { resources: [things, parts], seed: { accounts: ['acme'], account }, ${more} })
`)
    expect(await command('reset', boxes(''), '--seed')).toMatchObject({ code: 0 })
    const v1 = `versions: [version('v1', { published: '2026-01-01' })]`
    for (const [sums, expected] of [
      ['', null],
      [`w: sum('parts', 'grams')`, 12],
      [`w: sum('parts', ['grams', 'pieces'])`, 24],
    ] as const) {
      const published = boxes(sums, v1)
      expect(await command('publish', published, 'v1', '--skip-store')).toMatchObject({ code: 0 })
      expect(await command('migrate', published)).toMatchObject({ code: 0 })
      if (expected !== null)
        expect(await rows('w')).toEqual([
          ['lamp', expected],
          ['chair', 0],
        ])
    }
  },
)

test.each(storeKinds)(
  'a dry run refuses what rows do not allow, as the migration does (%s)',
  async (kind) => {
    const { command } = on(await emptyDatabase(kind))
    const shed = ({ total = '', unique = '', more = '' }) =>
      declarationFolder(`
import { api, belongsTo, hasMany, resource, sum, version } from 'nounkit'
import { z } from 'zod'
const id = (at) => '01890a5d-ac96-774b-bcce-00000000000' + at
const things = resource('things', { fields: { label: z.string(), ${total} }, relations: { parts: hasMany('parts') }, ${unique} })
const parts = resource('parts', { fields: { grams: z.int() }, relations: { thing: belongsTo('things') } })
const account = () => [
  ...[1, 2].map((at) => ({ resource: 'things', values: { id: id(at), label: 'lamp' } })),
  ...[3, 4].map((at) => ({ resource: 'parts', values: { id: id(at), grams: Number.MAX_SAFE_INTEGER, thing_id: id(1) } })),
]
export default api('shed', { resources: [things, parts], seed: { accounts: ['acme'], account }, ${more} })
`)
    const first = shed({})
    expect(await command('migrate', first)).toMatchObject({ code: 0 })
    expect(await command('reset', first, '--seed')).toMatchObject({ code: 0 })
    const v1 = `versions: [version('v1', { published: '2026-01-01' })]`
    for (const more of ['', v1])
      for (const [change, message] of [
        [{ total: `total: sum('parts', 'grams')` }, 'would be too large'],
        [
          { unique: `unique: [['label']]` },
          'share values of label, in 1 group, such as "lamp" (2 rows, such as ',
        ],
      ] as const) {
        const folder = shed({ ...change, more })
        if (more) expect(await command('publish', folder, 'v1', '--skip-store')).toMatchObject({ code: 0 })
        const planned = await command('migrate', folder, '--dry-run')
        expect([planned.code, planned.stdout, planned.stderr]).toEqual([
          1,
          '',
          expect.stringContaining(message),
        ])
        expect(await command('migrate', folder)).toEqual(planned)
      }
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
    expect(reset.stderr).toMatch(
      /^The API has a published version \(v1\).* use nounkit reset --force market\.\n$/,
    )
    expect(other.stderr).toBe("--force markets: the API's name is market. Nothing was changed.\n")
    const changed = `versions: [version('v2'), version('v1', { published: '2026-01-01', changes: [removeField('things', 'cost', { was: z.string(), whenAbsent: '-' })] })]`
    const without = declarationFolder(source('label: z.string()', changed))
    cpSync(join(promised, 'contracts'), join(without, 'contracts'), { recursive: true })
    const planned = await command('migrate', without, '--dry-run')
    expect(planned).toMatchObject({ code: 0, stderr: '' })
    expect(planned.stdout).toContain('-- things.cost is NOT NULL, and the field is optional\n')
    expect(planned.stdout).toContain('This release is rolling')
    expect((await command('migrate', without)).code).toBe(0)
    expect(await command('reset', next, '--force', 'market')).toMatchObject({
      code: 0,
      stdout: 'The store of market is empty now. API keys are still valid.\n',
    })
    expect(await rows('price')).toEqual([])
  })
})
