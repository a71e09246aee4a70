import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { runHere } from './in-process.ts'
import { isMistake, run } from './run.ts'

test('openapi prints the document of a version, whole, and nothing else', async () => {
  const { code, stdout, stderr } = await run(['openapi', 'examples/shop', 'v1'])
  expect([code, stderr]).toEqual([0, ''])
  const document = JSON.parse(stdout)
  expect(document.openapi).toMatch(/^3\.1/)
  expect(document.info.version).toBe('v1')
  expect(Object.keys(document.paths)).toContain('/clients')
})

test('diff lists the declared changes, with a verdict each; --raw lists the differences of the contracts', async () => {
  const told = await runHere(['diff', 'examples/shop', 'v1', 'v2'])
  expect([told.code, told.stderr]).toEqual([0, ''])
  const lines = told.stdout.trimEnd().split('\n')
  expect(lines.slice(0, 2)).toEqual([
    'breaking  clients → customers  renamed',
    'breaking    customers.full_name → name  renamed',
  ])
  expect(lines.length).toBeLessThanOrEqual(12)
  const bare = (await runHere(['diff', 'examples/shop', 'v1', 'v2', '--raw'])).stdout.trimEnd().split('\n')
  const count = bare.at(-1) ?? ''
  expect(count).toMatch(/^\d+ differences, \d+ of them breaking\.$/)
  expect(lines.at(-1)).toMatch(
    new RegExp(`^${count} They follow from 6 declared changes and \\d additions; --raw lists them\\.$`),
  )
  const { explained, raw } = JSON.parse(
    (await runHere(['diff', 'examples/shop', 'v1', 'v2', '--json'])).stdout,
  )
  type Line = { verdict: string; where: string; what: string }
  const words = ({ verdict, where, what }: Line) => `${verdict}  ${where}  ${what}`
  expect(raw.map(words)).toEqual(bare.slice(0, -1))
  expect(explained.map(words)).toEqual(lines.slice(0, -1).map((line) => line.replace(/^(\w+) {4}/, '$1  ')))
})

test('diff from a newer version to an older one compares what they are, for want of changes', async () => {
  const told = await runHere(['diff', 'examples/shop', 'v2', 'v1'])
  expect(told.stdout).toMatch(/^breaking {2}customers {2}resource and its endpoints were removed/)
  const { explained } = JSON.parse((await runHere(['diff', 'examples/shop', 'v2', 'v1', '--json'])).stdout)
  expect(explained).toBeNull()
  expect((await runHere(['diff', 'examples/shop', 'v1', 'v1'])).stdout).toBe(
    '0 differences, 0 of them breaking.\n',
  )
})

test('guide writes Markdown from an older version to a newer one, to the next unless said', async () => {
  const { code, stdout } = await runHere(['guide', 'examples/shop', 'v1', 'v2'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^# .*v1.*v2/)
  expect((await runHere(['guide', 'examples/shop', 'v1'])).stdout).toBe(stdout)
  for (const args of [['v2'], ['v2', 'v1']]) {
    const ran = await runHere(['guide', 'examples/shop', ...args])
    expect(isMistake(ran)).toBe(true)
    expect(ran.stderr).toMatch(/newest version|not newer/)
  }
})

test('publish freezes a version; what would break it is then refused by check, publish and serve, and growth is not', async () => {
  const published = `versions: [version('v1', { published: '2026-01-01' })]`
  const source = (fields = '') =>
    librarySource({ fields, more: published }).replace('import { api, ', 'import { version, api, ')
  const folder = declarationFolder(source('pages: z.int().optional(),'))
  const nounkitIn =
    (place: string) =>
    (...args: string[]) =>
      runHere(args, { cwd: place, env: { DATABASE_URL: 'sqlite:library.db' } })
  const contractIn = (place: string) => join(place, 'contracts/v1.json')
  /** Another folder with the same contracts, since a process loads a declaration once. */
  const changed = (fields?: string) => {
    const place = declarationFolder(source(fields))
    cpSync(join(folder, 'contracts'), join(place, 'contracts'), { recursive: true })
    return place
  }

  const nounkit = nounkitIn(folder)
  const early = await nounkit('check', '.')
  expect(isMistake(early)).toBe(true)
  expect(early.stderr).toContain('v1 is published, but its contract is missing')
  const first = await nounkit('publish', '.', 'v1')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toContain('contracts/v1.json')
  expect((await nounkit('check', '.')).code).toBe(0)
  const frozen = readFileSync(contractIn(folder), 'utf8')

  const less = changed()
  for (const args of [
    ['check', '.'],
    ['publish', '.', 'v1'],
    ['serve', '.', '--port', '0'],
  ]) {
    const ran = await nounkitIn(less)(...args)
    expect(isMistake(ran), ran.stderr).toBe(true)
    expect(ran.stderr).toContain('pages')
  }
  expect(readFileSync(contractIn(less), 'utf8')).toBe(frozen)
  expect(existsSync(join(less, 'library.db'))).toBe(false)

  const damaged = frozen.replace('"title"', '"titel"')
  writeFileSync(contractIn(less), damaged)
  const laundered = await nounkitIn(less)('publish', '.', 'v1')
  expect(isMistake(laundered), laundered.stderr).toBe(true)
  expect(laundered.stderr).toContain('contracts/v1.json: it was edited by hand')
  expect(readFileSync(contractIn(less), 'utf8')).toBe(damaged)

  const more = nounkitIn(changed('pages: z.int().optional(), genre: z.string().max(20).optional(),'))
  expect((await more('check', '.')).code).toBe(0)
  const grown = await more('publish', '.', 'v1')
  expect(grown.code).toBe(0)
  expect(grown.stdout).toMatch(/^additive .*genre/m)
})
