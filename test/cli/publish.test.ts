import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDatabase, storeKinds } from '../support/databases.ts'
import { declarationFolder } from '../support/declaration-folder.ts'
import { openForTest } from '../support/stores.ts'
import { runHere } from './in-process.ts'
import { isMistake } from './run.ts'

const source = (fields: string, more = '') => `
import { api, resource, version } from 'nounkit'
import { z } from 'zod'
const wells = resource('wells', { fields: { name: z.string(), ${fields} } })
const rows = [{ name: 'north', depth: 12 }, { name: 'south', depth: 900 }]
const account = () => rows.map((values, at) => ({ resource: 'wells', values: { id: '01890a5d-ac96-774b-bcce-00000000000' + at, ...values } }))
export default api('water', { resources: [wells], ${more} seed: { accounts: ['acme'], account } })
`
const dated = `versions: [version('v1', { published: '2026-01-02' })],`

test.each(storeKinds)(
  'the first publication compares the store: what does not fit is said with what to do, and nothing is frozen (%s)',
  async (kind) => {
    const env = { DATABASE_URL: await emptyDatabase(kind) }
    const first = declarationFolder(source('depth: z.int()'))
    for (const args of [
      ['migrate', first],
      ['reset', first, '--seed'],
    ])
      expect(await runHere(args, { env })).toMatchObject({ code: 0 })

    const narrower = declarationFolder(source('depth: z.int().max(100)', dated))
    const refused = await runHere(['publish', narrower, 'v1'], { env })
    expect(isMistake(refused)).toBe(true)
    expect(
      refused.stderr,
    ).toBe(`The store does not fit what would be frozen, and nothing was published. While no version is published, nounkit migrate makes it fit; later it only grows.
- 1 row of wells has a value that wells.depth does not allow any more, such as 900.
Take published out of version('v1', …), run nounkit migrate, then set the date again and publish. --skip-store publishes without comparing the store.
`)
    expect(existsSync(join(narrower, 'contracts'))).toBe(false)

    const another = declarationFolder(source('depth: z.int().optional(), owner: z.string()'))
    expect((await runHere(['publish', another, 'v1'], { env })).stderr).toMatch(
      /wells\.owner is new and required\.\nRun nounkit migrate, then publish\. --skip-store/s,
    )
    expect(await runHere(['publish', narrower, 'v1', '--skip-store'], { env })).toMatchObject({ code: 0 })

    const fitting = declarationFolder(source('depth: z.int().max(1000), note: z.string().optional()', dated))
    expect(await runHere(['publish', fitting, 'v1'], { env })).toEqual({
      code: 0,
      stderr: '',
      stdout:
        'v1, published on 2026-01-02, is frozen in contracts/v1.json. Commit it with the declaration.\n',
    })
  },
)

test.each(storeKinds)(
  'migrate refuses a broken contract as check does, before it changes anything (%s)',
  async (kind) => {
    const env = { DATABASE_URL: await emptyDatabase(kind) }
    const published = declarationFolder(source('depth: z.int(), note: z.string().optional()', dated))
    for (const args of [
      ['publish', published, 'v1', '--skip-store'],
      ['migrate', published],
    ])
      expect(await runHere(args, { env })).toMatchObject({ code: 0 })

    const renamed = declarationFolder(source('depth: z.int(), remark: z.string().optional()', dated))
    cpSync(join(published, 'contracts'), join(renamed, 'contracts'), { recursive: true })
    const { code, stderr } = await runHere(['check', renamed], { env })
    expect(code).toBe(1)
    expect(stderr).toContain(`renameField('wells', 'note', 'remark')`)
    for (const flags of [[], ['--json'], ['--dry-run'], ['--tidy', '--force'], ['--dry-run', '--json']])
      expect(await runHere(['migrate', renamed, ...flags], { env })).toEqual({ code: 1, stdout: '', stderr })
    const { stdout } = await runHere(['migrate', published, '--json'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, steps: [] })
    const store = await openForTest(env.DATABASE_URL)
    await expect(async () => store.first('SELECT "remark" FROM "wells"', [])).rejects.toThrow()
  },
)

test('publish says that a version has no date, and what to declare', async () => {
  const env = { DATABASE_URL: await emptyDatabase('sqlite'), NOUNKIT_CLOCK: undefined }
  const today = new Date().toISOString().slice(0, 8)
  const plain = declarationFolder(source('depth: z.int()'))
  const { code, stdout, stderr } = await runHere(['publish', plain, 'v1'], { env })
  expect([code, stdout]).toEqual([0, 'v1 is frozen in contracts/v1.json. Commit it with the declaration.\n'])
  expect(stderr).toContain(
    `Warning: v1 has no date of publication. Add versions: [version('v1', { published: '${today}`,
  )
  const undated = declarationFolder(source('depth: z.int()', `versions: [version('v1')],`))
  const told = await runHere(['publish', undated, 'v1', '--json'], { env })
  expect(told.stderr).toContain(`Declare version('v1', { published: '${today}`)
  expect(JSON.parse(told.stdout)).toMatchObject({ version: 'v1', published: null })
})

test('publish says what to do while the store cannot be reached, and --skip-store goes on without it', async () => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' }
  const folder = declarationFolder(source('depth: z.int()', dated))
  const refused = await runHere(['publish', folder, 'v1'], { env })
  expect(isMistake(refused)).toBe(true)
  expect(refused.stderr).toMatch(
    /^The store cannot be compared .* Nothing listens there: .* Or use --skip-store\.\n$/s,
  )
  expect(await runHere(['publish', folder, 'v1', '--skip-store'], { env })).toMatchObject({ code: 0 })
})
