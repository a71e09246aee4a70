import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { shortened } from '../../src/cli/check-types.ts'
import { missingImport } from '../../src/cli/mistake-places/missing-import.ts'
import { temporaryFolder } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { runHere } from './in-process.ts'
import { isMistake, run } from './run.ts'

const root = resolve(import.meta.dirname, '../..')

/** In the folder itself, so that messages name files as a user would see them. */
const check = (folder: string, place = '.') => runHere(['check', place], { cwd: folder })
/** As a process, where the error is that of Node, which loads the file. */
const checkProcess = (folder: string) => run(['check'], { cwd: folder })

test('totals are a resource too', async () => {
  const folder = declarationFolder(`
    import { api, resource } from 'nounkit'
    import { z } from 'zod'
    const books = resource('books', { fields: { pages: z.int() } })
    const totals = resource('book-totals', { totals: { of: 'books', by: ['pages'], sums: [] } })
    export default api('library', { resources: [books, totals] })`)
  expect((await check(folder)).stdout).toBe(
    'api.ts: 2 resources, version v1. No mistakes, no broken promises.\n',
  )
})

test('check prints one line for a declaration without mistakes', async () => {
  expect(await checkProcess(declarationFolder(librarySource()))).toEqual({
    code: 0,
    stdout: 'api.ts: 1 resource, version v1. No mistakes, no broken promises.\n',
    stderr: '',
  })
})

test('check warns of a rule that no index serves, and says what to do', async () => {
  const folder = declarationFolder(`
    import { api, belongsTo, resource } from 'nounkit'
    import { z } from 'zod'
    const shelves = resource('shelves', { fields: { room: z.string().max(20) } })
    const books = resource('books', {
      fields: { title: z.string().max(100) },
      relations: { shelf: belongsTo(shelves) },
      rules: { read: ({ row, caller }) => row.shelf.room.is(caller.claim('room')) },
    })
    export default api('library', { resources: [shelves, books] })
  `)
  const { code, stderr } = await check(folder)
  expect(code).toBe(0)
  expect(stderr).toMatch(
    /^Warning: books\.rules\.read: no index finds rows by row\.shelf\.room .*allOf.*\.\n$/,
  )
})

test('check warns of tokens without an audience, and is content with one', async () => {
  const source = (tokens: string) => `
    import { api, resource } from 'nounkit'
    import { z } from 'zod'
    export default api('library', {
      resources: [resource('books', { fields: { title: z.string() } })],
      tokens: ${tokens},
    })
  `
  const open = await check(declarationFolder(source(`{ issuer: 'https://login.example' }`)))
  expect(open.code).toBe(0)
  expect(open.stderr).toMatch(
    /^Warning: tokens: without audience, every access token of https:\/\/login\.example/,
  )
  const closed = await check(declarationFolder(source(`{ issuer: 'https://login.example', audience: 'a' }`)))
  expect([closed.code, closed.stderr]).toEqual([0, ''])
})

test('all mistakes in a declaration are reported at once, each with where, what and what to write', async () => {
  const ran = await check(
    declarationFolder(`
      import { api, belongsTo, resource } from 'nounkit'
      import { z } from 'zod'
      const books = resource('get-books', { fields: { title: z.string() } })
      const authors = resource('authors', {
        fields: { fullName: z.string(), born: z.map(z.string(), z.string()) },
        relations: { publisher: belongsTo('publisher') },
        sort: ['full_nam'],
      })
      export default api('library', { resources: [books, authors] })
    `),
  )
  expect(isMistake(ran)).toBe(true)
  const lines = ran.stderr.split('\n').filter((line) => line.startsWith('api.ts:'))
  expect(lines.length).toBe(5)
  for (const line of lines) expect(line).toMatch(/^api\.ts:\d+:\d+ {2}[\w.-]+: .+\. .+$/)
  expect(ran.stderr).toMatch(/ {2}get-books: .*verb "get".* Write "books"/m)
  expect(ran.stderr).toMatch(/ {2}authors\.fields\.fullName: .* Write "full_name"/m)
  expect(ran.stderr).toMatch(/ {2}authors\.sort: "full_nam" is not a field/m)
})

test.each([
  [
    'half-typed',
    `import { api } from 'nounkit'\nexport default api('a', { resources: [books, 'x' y] })`,
    /could not be loaded: .+ \(api\.ts:2\)\napi\.ts:2:50\n(?:.*\n)*> 2 \| .*\n +\| {50}\^\n/,
  ],
  [
    'with TypeScript that is more than types',
    `enum Status { Open }\nexport default Status`,
    /enum .* \(api\.ts:1\)\. Node only removes types, and this is more than a type: write it as JavaScript\.\napi\.ts:1:1\n/,
  ],
  [
    'that uses a resource before it is declared',
    `import { hasMany } from 'nounkit'\nconst one = hasMany(books)\nconst books = one\nexport default one`,
    /\(api\.ts:2\)\. "books" is declared later, in this file or in one that imports it\. A resource can be given by its name, as in hasMany\('orders'\)\.\napi\.ts:2:21\n/,
  ],
  [
    'that throws',
    `const nothing = null\nexport default nothing.api`,
    /could not be loaded: .*null.* \(api\.ts:2\)\napi\.ts:2:24\n {2}1 \| const.*\n> 2 \| export.*\n +\| {24}\^\n$/,
  ],
  ['that exports nothing', `export const books = 1`, /does not export an API\. Write: export default api\(/],
  [
    'that needs a package',
    `import 'lodash'`,
    /imports "lodash", which is not installed there\. Run: npm install lodash\napi\.ts:1:8\n> 1 \| import 'lodash'\n/,
  ],
])('a file %s is told with its place and no stack', async (_, source, message) => {
  const ran = await checkProcess(declarationFolder(source))
  expect(isMistake(ran)).toBe(true)
  expect(ran.stderr).toMatch(message)
})

test('check reports what would stop the service from starting, and an incomplete declaration without a stack', async () => {
  const ran = await check(
    declarationFolder(`
      import { api, belongsTo, renameField, resource, version } from 'nounkit'
      const books = resource('books', { fields: {}, relations: { author: belongsTo() }, sort: [1] })
      const versions = [version('v2'), version('v1', { changes: [renameField] })]
      export default api('library', { resources: [books], versions, proxies: ['bla'] })
    `),
  )
  expect(isMistake(ran)).toBe(true)
  expect([...ran.stderr.matchAll(/^api\.ts:\d+:\d+ {2}([^:]+):/gm)].map(([, where]) => where)).toEqual([
    'proxies[0]',
    'books.sort[0]',
    'books.relations.author.target',
    'v1.changes[0]',
  ])
})

test('a mistake is shown with its place in the file that has it, and with the code there, by every command', async () => {
  const folder = declarationFolder(`
    import { api } from 'nounkit'
    import { books } from './parts/books.ts'
    export default api('library', { resources: [books] })
  `)
  mkdirSync(join(folder, 'parts'))
  writeFileSync(
    join(folder, 'parts/books.ts'),
    `import { resource } from 'nounkit'
import { fields } from '../fields.ts'
export const books = resource('books', {
  fields,
  sort: ['titel'],
})
`,
  )
  const fields = `import { z } from 'zod'\nexport const fields = { title: z.string().max(100) }\n`
  writeFileSync(join(folder, 'fields.ts'), fields)
  const ran = await check(folder)
  expect(isMistake(ran)).toBe(true)
  expect(
    ran.stderr,
  ).toBe(`${join('parts', 'books.ts')}:5:10  books.sort: "titel" is not a field of books. Did you mean "title"?
  3 | export const books = resource('books', {
  4 |   fields,
> 5 |   sort: ['titel'],
    |          ^
  6 | })
  7 |
`)
  expect(await runHere(['migrate'], { cwd: folder })).toEqual(ran)
  const told = await runHere(['check', '--json'], { cwd: folder })
  expect(JSON.parse(told.stdout).mistakes).toEqual([
    {
      where: 'books.sort',
      what: '"titel" is not a field of books.',
      hint: 'Did you mean "title"?',
      file: join('parts', 'books.ts'),
      line: 5,
      column: 10,
    },
  ])
})

test('a mistake in a file that the declaration imports is reported with that file', async () => {
  const folder = declarationFolder(`import './v1.ts'`)
  writeFileSync(join(folder, 'v1.ts'), '\nthrow new Error("no such day")')
  const message = 'api.ts could not be loaded: no such day (v1.ts:2)'
  expect((await checkProcess(folder)).stderr).toBe(
    `${message}\nv1.ts:2:7\n  1 |\n> 2 | throw new Error("no such day")\n    |       ^\n`,
  )
  const told = await run(['check', '--json'], { cwd: folder })
  expect([told.code, told.stderr]).toEqual([1, ''])
  expect(JSON.parse(told.stdout)).toEqual({
    ok: false,
    file: 'api.ts',
    resources: null,
    versions: null,
    warnings: [],
    mistakes: [{ where: 'api.ts', what: message, hint: '', file: 'v1.ts', line: 2, column: 7 }],
    broken: [],
    types: null,
    release: null,
    because: null,
    sums: null,
  })
})

test('check --json prints JSON also where there is no declaration, or a file that exports none', async () => {
  const told = async (folder: string, ...place: string[]) => {
    const { code, stdout, stderr } = await runHere(['check', ...place, '--json'], { cwd: folder })
    expect([code, stderr]).toEqual([1, ''])
    return JSON.parse(stdout)
  }
  const empty = temporaryFolder()
  const nowhere = { line: null, column: null, hint: '' }
  expect(await told(empty)).toMatchObject({
    ok: false,
    file: 'api.ts',
    mistakes: [
      { ...nowhere, what: expect.stringMatching(/^The current folder has no declaration/), file: 'api.ts' },
    ],
  })
  expect(await told(empty, 'shop')).toMatchObject({
    file: 'shop',
    mistakes: [{ ...nowhere, what: 'There is no file or folder "shop".', file: 'shop' }],
  })
  expect(await told(declarationFolder('export const books = 1'))).toMatchObject({
    file: 'api.ts',
    mistakes: [
      { ...nowhere, what: expect.stringMatching(/^api\.ts does not export an API/), file: 'api.ts' },
    ],
  })
})

test('an import of what is no file is named with its line and what to write', async () => {
  const paths = ['./nouns/people', './nouns/people.js', './nouns', './nouns/places']
  const source = paths.map((path) => `import '${path}'\n`).join('')
  const folder = declarationFolder(source)
  mkdirSync(join(folder, 'nouns'))
  for (const name of ['people', 'index']) writeFileSync(join(folder, `nouns/${name}.ts`), '')
  expect((await checkProcess(folder)).stderr).toMatch(
    /^api\.ts could not be loaded: api\.ts:1 imports '\.\/nouns\/people'\. There is no such file: Node needs the whole name\. Write '\.\/nouns\/people\.ts'\.\napi\.ts:1:8\n> 1 \| import/,
  )
  const file = join(folder, 'api.ts')
  const found = (sentence: string, path: string) => {
    const message = `${sentence.replace('PATH', join(folder, path))} imported from ${file}\nDid you mean something else?`
    return missingImport(new Error(message), () => source)
  }
  const missing = "Cannot find module 'PATH'"
  expect(found(missing, paths[1] ?? '')).toMatchObject({ line: 2, instead: './nouns/people.ts' })
  const isFolder = "Directory import 'PATH' is not supported resolving ES modules"
  expect(found(isFolder, paths[2] ?? '')).toMatchObject({ line: 3, column: 8, instead: './nouns/index.ts' })
  expect(found(missing, paths[3] ?? '')).toMatchObject({ line: 4, instead: null })
  expect(found(missing, './elsewhere')).toBe(null)
})

/** Adds a tsconfig.json and TypeScript. */
function withTypes(folder: string): string {
  for (const name of ['typescript', '@typescript'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  const compilerOptions = { module: 'nodenext', strict: true, skipLibCheck: true, types: [] }
  const ofCheckout = { customConditions: ['nounkit-source'], allowImportingTsExtensions: true }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, ...ofCheckout, noEmit: true },
      files: ['api.ts'],
    }),
  )
  return folder
}

test('the lines that check says for values are pasted as they stand, filled in, and have no mistakes of types', async () => {
  const source = (discipline: string, season: string, versions: string) => `
    import { api, mapValues, resource, version } from 'nounkit'
    import { z } from 'zod'
    const fields = { discipline: z.enum([${discipline}]), season: z.enum([${season}]) }
    export default api('school', { resources: [resource('courses', { fields })], versions: [${versions}] })`
  const versionOf = (changes = '') => `version('v1', { published: '2026-01-01', changes: [
${changes}
] })`
  const first = declarationFolder(source(`'alpine', 'nordic'`, `'winter', 'late'`, versionOf()))
  expect(await runHere(['publish', first, 'v1', '--skip-store'])).toMatchObject({ code: 0 })
  const later = (versions: string) => {
    const folder = declarationFolder(
      source(`'alpine', 'nordic', 'freeride', 'race-day'`, `'winter', 'spring', 'summer'`, versions),
    )
    cpSync(join(first, 'contracts'), join(folder, 'contracts'), { recursive: true })
    return folder
  }
  const { stderr } = await check(later(versionOf()))
  const lines = stderr.split('\n').filter((line) => line.startsWith('  mapValues('))
  expect(lines).toHaveLength(2)
  const filled = ['alpine', 'nordic', 'New.', 'winter', 'winter', 'winter', 'New.']
  const pasted = lines.join('\n').replaceAll('…', () => filled.shift() ?? '…')
  const declared = withTypes(later(`version('v2'), ${versionOf(pasted)}`))
  expect(await check(declared)).toMatchObject({ code: 0, stderr: '' })
})

test('check finds mistakes in the code of hooks by their types, where the folder has a tsconfig.json', async () => {
  const folder = declarationFolder(`
    import { api, resource } from 'nounkit'
    import { z } from 'zod'
    const books = resource('books', {
      fields: { title: z.string().max(100) },
      hooks: { beforeCreate: async (_, { list }) => void (await list('books', { titel: 'Emma' })) },
    })
    export default api('library', { resources: [books] })
  `)
  expect((await check(folder)).code).toBe(0)
  const ran = await check(withTypes(folder))
  expect(isMistake(ran)).toBe(true)
  expect(ran.stderr).toMatch(/^api\.ts.6,.*'titel' does not exist/)
  expect(ran.stderr).toContain('These are mistakes in types, as tsc reports them.')
})

test('a mistake of types that only api(…) finds is shown as its sentence', () => {
  const long = `api.ts(9,43): error TS2322: Type 'ResourceDeclaration<{ readonly title: ZodString; }, … "books">' is not assignable to type 'ResourceDeclaration<…> & Mistake<...>'.
  Type 'ResourceDeclaration<…>' is missing the following properties from type 'Mistake<"books.relations.author: there is no resource 'author'", "authors" | "books">': whatIsWrong, allowed
api.ts(12,3): error TS2322: Type 'number' is not assignable to type 'string'.`
  expect(shortened(long)).toBe(
    `api.ts(9,43): error TS2322: books.relations.author: there is no resource 'author'. There is "authors", "books".
api.ts(12,3): error TS2322: Type 'number' is not assignable to type 'string'.`,
  )
})

test('a folder that is not there, or has no declaration, is named', async () => {
  const folder = temporaryFolder()
  const missing = await check(folder, 'nowhere')
  expect(isMistake(missing)).toBe(true)
  expect(missing.stderr).toBe('There is no file or folder "nowhere".\n')
  expect(await runHere(['dev', 'nowhere'], { cwd: folder })).toEqual(missing)
  const empty = await check(folder)
  expect(isMistake(empty)).toBe(true)
  expect(empty.stderr).toContain('has no declaration. Put one into api.ts: export default api(')
  expect(await runHere(['dev', '.'], { cwd: folder })).toEqual(empty)
})

test('a file named contracts, where a folder belongs, is reported', async () => {
  const folder = declarationFolder(librarySource())
  writeFileSync(join(folder, 'contracts'), '')
  const ran = await check(folder)
  expect(isMistake(ran)).toBe(true)
  expect(ran.stderr).toContain(
    '"contracts" is a file. Move it: the folder of frozen contracts has this name.',
  )
})
