import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { emptyDatabase, temporaryFolder } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { openForTest } from '../support/stores.ts'
import { runHere } from './in-process.ts'
import { isMistake, type Ran, run } from './run.ts'

const withDatabase = (url: string, ...args: string[]): Promise<Ran> =>
  runHere(args, { env: { DATABASE_URL: url } })
const serve = (url: string, folder = 'examples/shop', command: typeof run = runHere): Promise<Ran> =>
  command(['serve', folder, '--port', '0'], { env: { DATABASE_URL: url, NOUNKIT_LOG: 'error' } })

test('a database that cannot be used ends serve with 1 and a sentence, and is left as it was', async () => {
  const folder = temporaryFolder()
  const notes = join(folder, 'notes.txt')
  writeFileSync(notes, 'Dear diary, '.repeat(500))
  const strange = join(folder, 'strange.db')
  const other = new DatabaseSync(strange)
  other.exec('CREATE TABLE albums (id INTEGER PRIMARY KEY)')
  other.close()
  mkdirSync(join(folder, 'shop.db'))
  const before = [readFileSync(notes), readFileSync(strange)]

  const refused: readonly [string, RegExp][] = [
    [`sqlite:${notes}`, /notes\.txt is not a SQLite database/],
    [`sqlite:${strange}`, /strange\.db is the database of another program: it has tables \(albums\)/],
    [`sqlite:${join(folder, 'shop.db')}`, /is a folder\. Name a file in it/],
    [`sqlite:${join(folder, 'no', 'shop.db')}`, /the folder .* does not exist\. Create it/],
    ['mysql://me:secret@host/shop', /is of no known kind\. Write sqlite:.* or postgres:/],
    ['postgres://postgres@127.0.0.1:1/shop', /Nothing listens there/],
  ]
  const ran = await Promise.all(refused.map(([url]) => serve(url)))
  for (const [index, [, message]] of refused.entries()) {
    const one = ran[index] as Ran
    expect(isMistake(one), one.stderr).toBe(true)
    expect(one.stderr).toMatch(message)
    expect(one.stderr).not.toContain('secret')
  }
  expect([readFileSync(notes), readFileSync(strange)]).toEqual(before)
  expect(await serve(`sqlite:${notes}`, undefined, run)).toEqual(ran[0])
})

test.each(['sqlite', 'postgres'] as const)(
  'a store on %s that another command has made is the one that migrate makes',
  async (kind) => {
    const url = await emptyDatabase(kind)
    const folder = declarationFolder(librarySource())
    const made = await withDatabase(url, 'keys', 'create', folder, '--account', 'acme', '--name', 'first')
    expect(made.code, made.stderr).toBe(0)
    const { stdout } = await withDatabase(url, 'migrate', folder)
    expect(stdout).toBe('The store fits the declaration. Nothing to do.\n')
  },
)

test.each(['sqlite', 'postgres'] as const)(
  'migrate on %s: --dry-run shows the SQL and changes nothing, migrate does it, then there is nothing to do',
  async (kind) => {
    const url = await emptyDatabase(kind)
    const folder = declarationFolder(librarySource())
    const planned = await withDatabase(url, 'migrate', folder, '--dry-run')
    expect(planned.code).toBe(0)
    expect(planned.stdout).toMatch(/CREATE TABLE "books"/)
    expect(planned.stdout).toMatch(/\n\d+ steps would be applied\.\n$/)
    const done = await withDatabase(url, 'migrate', folder)
    expect(done.stdout).toBe(planned.stdout.replace('would be', 'were'))
    const again = await withDatabase(url, 'migrate', folder, '--dry-run')
    expect(again.stdout).toBe('The store fits the declaration. Nothing to do.\n')

    const added = await withDatabase(
      url,
      'migrate',
      declarationFolder(librarySource({ fields: 'pages: z.int().optional(),' })),
    )
    expect(added.stdout).toMatch(
      /-- books\.pages is new\n-- .* Older processes serve on\.\nALTER TABLE "books" ADD COLUMN "pages"/,
    )
    expect(added.stdout).toMatch(/\n1 step was applied\.\n$/)

    const required = declarationFolder(librarySource({ fields: 'isbn: z.string().max(13),' }))
    const wouldBe = await withDatabase(url, 'migrate', required, '--dry-run')
    expect(isMistake(wouldBe)).toBe(false)
    expect(wouldBe.stdout).toMatch(/books\.isbn is new\.\n/)
    const refused = await serve(url, required)
    expect(isMistake(refused)).toBe(true)
    expect(refused.stderr).toMatch(
      /^The store does not fit the declaration\. No row was changed\. Run nounkit migrate.*:\n- books\.isbn is new and required[^\n]*\n$/s,
    )
    expect((await withDatabase(url, 'export', required)).stderr).toBe(
      'The store does not fit the declaration: books.isbn is new and required. Migrate it first: nounkit migrate\n',
    )
  },
)

/** Commands that use a store which a service or `nounkit migrate` has made. */
const looking = (folder: string): readonly (readonly string[])[] => {
  const rows = join(folder, 'rows.jsonl')
  writeFileSync(rows, '{"name":"Ada","email":"ada@example.com"}')
  return [
    ['keys', 'list', 'examples/shop'],
    ['keys', 'revoke', 'examples/shop', '--account', 'acme', '--name', 'ci'],
    ['usage', 'examples/shop'],
    ['retire', 'examples/shop', 'v1', '--dry-run'],
    ['export', 'examples/shop'],
    ['events', 'examples/shop', '--account', 'acme'],
    ['explain', 'examples/shop', 'GET /v2/orders'],
    ['import', 'examples/shop', rows, '--resource', 'customers', '--account', 'acme'],
    ['reset', 'examples/shop', '--force', 'shop'],
  ]
}

test('a command that looks into a store makes none: a file that is missing or empty is refused by name', async () => {
  const folder = temporaryFolder()
  const [missing, empty] = [join(folder, 'brandnew.db'), join(folder, 'empty.db')]
  const commands = looking(temporaryFolder())
  writeFileSync(empty, '')
  for (const args of commands) {
    const ran = await withDatabase(`sqlite:${missing}`, ...args)
    expect(isMistake(ran), ran.stderr).toBe(true)
    expect(ran.stderr).toContain(`There is no store yet: ${missing} does not exist. Set DATABASE_URL to`)
    expect((await withDatabase(`sqlite:${empty}`, ...args)).stderr).toContain(`${empty} is empty. Set`)
  }
  expect(readdirSync(folder)).toEqual(['empty.db'])
  expect(readFileSync(empty, 'utf8')).toBe('')
})

test.each(['sqlite', 'postgres'] as const)(
  'a command that looks into a store makes no tables in a database without any (%s)',
  async (kind) => {
    const url = await emptyDatabase(kind)
    const store = await openForTest(url)
    const tables = `SELECT count(*) FROM ${kind === 'sqlite' ? 'sqlite_schema' : 'pg_class WHERE relnamespace = current_schema()::regnamespace'}`
    for (const args of looking(temporaryFolder())) {
      const ran = await withDatabase(url, ...args)
      expect(isMistake(ran), ran.stderr).toBe(true)
      expect(ran.stderr).toMatch(/^There is no store yet: .* has no tables of Nounkit\. Set DATABASE_URL to/)
      expect(ran.stdout).toBe('')
    }
    expect(await store.first(tables, [])).toEqual([0])
    expect(
      (await withDatabase(url, 'keys', 'create', 'examples/shop', '--account', 'a', '--name', 'n')).code,
    ).toBe(0)
  },
)

test('migrate --dry-run on a new file says what would be applied, and leaves no file', async () => {
  const url = await emptyDatabase('sqlite')
  const planned = await withDatabase(url, 'migrate', 'examples/shop', '--dry-run')
  expect(planned).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\d+ steps would be applied\.\nThis release is rolling: /),
  })
  expect(readdirSync(dirname(url.slice('sqlite:'.length)))).toEqual([])
})
