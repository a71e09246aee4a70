import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const source = new URL('../src', import.meta.url).pathname

/** The ladder: a folder may import from folders of lower steps and from its own. Folders on one step do not know each other. */
const steps: readonly (readonly string[])[] = [
  ['setting-mistake', 'maybe', 'in-time', 'times', 'declare'],
  ['clock', 'problems', 'client'],
  ['kinds'],
  ['compile'],
  ['contract', 'call'],
  ['request', 'plan'],
  ['store'],
  ['migrate'],
  ['read', 'write'],
  ['answer'],
  ['events'],
  ['audit'],
  ['respond'],
  ['guard'],
  ['webhooks', 'jobs'],
  ['lifecycle', 'transfer'],
  ['accounts'],
  ['pages'],
  ['console'],
  ['serve'],
  ['server-settings'],
  ['in-process-service'],
  ['cli'],
  ['test-types'],
  ['testing'],
  ['index', 'contract-door', 'server-door', 'testing-door'],
]
const stepOf = (room: string): number => steps.findIndex((rooms) => rooms.includes(room))

/** `read/finish.ts` → `read`; `clock.ts` → `clock`. */
const roomOf = (file: string): string => file.replace(/\.ts$/, '').split('/')[0] ?? ''

/** Imports of types count too. */
const importsOf = (file: string): readonly string[] => {
  const text = readFileSync(join(source, file), 'utf8')
  const named = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...named].map(([, path = '']) => normalize(join(dirname(file), path)))
}

const files = globSync('**/*.ts', { cwd: source }).sort()
const imports = new Map(files.map((file) => [file, importsOf(file)]))

test('every folder of src has its step on the ladder', () => {
  expect(files.length).toBeGreaterThan(100)
  expect([...new Set(files.map(roomOf))].filter((room) => stepOf(room) < 0)).toEqual([])
})

test('imports point one way: down the ladder', () => {
  const upward = files.flatMap((file) =>
    (imports.get(file) ?? [])
      .filter((target) => {
        const [from, to] = [roomOf(file), roomOf(target)]
        return from !== to && stepOf(to) >= stepOf(from)
      })
      .map((target) => `${file} imports ${target}`),
  )
  expect(upward).toEqual([])
})

test('what serves imports nothing that the command line adds', () => {
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const target of imports.get(file) ?? []) visit(target)
  }
  visit('server-door.ts')
  expect(reached.size).toBeGreaterThan(200)
  expect([...reached].filter((file) => roomOf(file) === 'cli')).toEqual([])
})

test('what declares and compiles needs nothing of Node, but for the files of contracts', () => {
  const withoutNode = ['declare', 'client', 'kinds', 'compile', 'contract', 'problems', 'times', 'maybe']
  const needing = files.filter(
    (file) =>
      withoutNode.includes(roomOf(file)) && /from 'node:/.test(readFileSync(join(source, file), 'utf8')),
  )
  expect(needing).toEqual(['contract/contract-files.ts', 'contract/freeze.ts'])
})

test('every import leads to a file', () => {
  const lost = files.flatMap((file) =>
    (imports.get(file) ?? []).filter((target) => !imports.has(target) && !target.endsWith('.json')),
  )
  expect(lost).toEqual([])
})

test('no file imports itself by way of others', () => {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file)
    if (at >= 0) cycles.push([...way.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const target of imports.get(file) ?? []) visit(target, [...way, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  expect(cycles).toEqual([])
})

const ofStore = /^(store|migrate)\/(sqlite|postgres)\//

test('a file name occurs once, except for the same job on SQLite and on PostgreSQL', () => {
  const byName = [...Map.groupBy(files, (file) => basename(file)).values()]
  const twice = byName.filter((same) => same.length > 1 && !same.every((file) => ofStore.test(file)))
  expect(twice).toEqual([])
})

/** `read/finish.ts`, or `finish.ts` alone. What follows a dot or a slash, or stands in quotes, is an import or a path of somebody else. */
const namedFile = /(?<![\w/.'"-])((?:[a-z][\w-]*\/)*[a-z][\w-]*\.ts)\b/g

test('files that comments, the architecture and decisions name are there', () => {
  const root = join(source, '..')
  const pages = [
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    ...globSync('{decisions,docs/explanation}/*.md', { cwd: root }),
  ]
  const texts = [
    ...pages.map((page) => [page, readFileSync(join(root, page), 'utf8')] as const),
    ...files.map((file) => {
      const comments = readFileSync(join(source, file), 'utf8').match(/^\s*\/\/.*|\/\*[\s\S]*?\*\//gm) ?? []
      return [file, comments.join('\n')] as const
    }),
  ]
  const others = ['test', 'examples', 'bench', 'template'].flatMap((folder) =>
    globSync('**/*.ts', { cwd: join(root, folder) }).map((file) => `${folder}/${file}`),
  )
  const known = [...files, ...others].map((file) => `/${file}`)
  const lost = texts.flatMap(([where, text]) =>
    [...text.matchAll(namedFile)].flatMap(([, name = '']) =>
      known.some((file) => file.endsWith(`/${name.replace(/^src\//, '')}`)) ? [] : `${where}: ${name}`,
    ),
  )
  expect(lost).toEqual([])
})

const exported =
  /^export (?:async )?(?:const|let|function\*?|class|abstract class|interface|type|enum) ([\w$]+)/gm

test('an exported name occurs once, so that a search for it finds one thing', () => {
  // The client, and the text of one, is a program of its own; a door has the names that its users write.
  const inside = files.filter((file) => !/^client\/|\/client-file\.ts$|-door\.ts$/.test(file))
  const places = inside.flatMap((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(exported)].map(([, name = '']) => ({ name, file })),
  )
  const twice = [...Map.groupBy(places, ({ name }) => name)]
    .map(([name, all]) => ({ name, files: [...new Set(all.map(({ file }) => file))] }))
    .filter(({ files }) => files.length > 1 && !isOneThing(files))
  expect(twice).toEqual([])
})

/** The options of each command, a change's builder with its kind, and the same job on SQLite and on PostgreSQL. */
const isOneThing = (files: readonly string[]): boolean =>
  [/^cli\/[\w-]+-command\.ts$/, /^(declare\/change|compile\/change-kinds\/[\w-]+)\.ts$/, ofStore].some(
    (form) => files.every((file) => form.test(file)),
  )
