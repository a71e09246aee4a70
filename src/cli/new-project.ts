import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** A file of a new project. */
export interface NewFile {
  /** Relative to the project, with slashes. */
  readonly path: string
  readonly text: string
  readonly what: string
}

/** The name that the files of the template have, and that is replaced by the project's. */
const placeholder = 'my-api'

type Source = readonly [source: string, path: string, what: string]

/** Names in the template have no leading dot: npm reads a `.gitignore` within a package as its own, and drops it. */
const inBoth: readonly Source[] = [
  ['template/tsconfig.json', 'tsconfig.json', 'how tsc checks types'],
  ['template/gitignore', '.gitignore', ''],
]
const ofProject: readonly Source[] = [
  ['template/api.ts', 'api.ts', 'two resources: start here'],
  ['template/api.test.ts', 'api.test.ts', 'a test of them'],
  ...inBoth,
  ['template/dockerignore', '.dockerignore', ''],
  ['template/Dockerfile', 'Dockerfile', 'the service as an image'],
  ['template/workflow.yml', '.github/workflows/check.yml', 'check and test at every push'],
]
const ofApp: readonly Source[] = [
  ['examples/booking/api.ts', 'api.ts', 'the API: start here'],
  ['examples/booking/api.test.ts', 'api.test.ts', 'a test of it'],
  ['examples/booking/seed.ts', 'seed.ts', 'the rows of an empty store'],
  ['examples/booking/server.ts', 'server.ts', 'the server: the API, the login and the page'],
  ['examples/booking/auth.ts', 'auth.ts', 'sign-up and login'],
  ['examples/booking/shared-file.ts', 'shared-file.ts', 'how the login shares the file of the API'],
  ['examples/booking/page.html', 'page.html', 'the page'],
  ['examples/booking/page.js', 'page.js', 'its script, with the typed client'],
  ...inBoth,
]

const filesOf = (sources: readonly Source[], named: (text: string) => string): readonly NewFile[] =>
  sources.map(([source, path, what]) => ({
    path,
    text: named(readFileSync(new URL(`../../${source}`, import.meta.url), 'utf8')),
    what,
  }))

export function newProject(name: string): readonly NewFile[] {
  const scripts = {
    dev: 'nounkit dev',
    start: 'nounkit serve .',
    test: 'node --test',
    check: 'nounkit check .',
  }
  const what = 'scripts: dev, start, test, check'
  const [first, second, ...more] = filesOf(ofProject, (text) => text.replaceAll(placeholder, name))
  return [first, second, packageFile(name, scripts, [], what), ...more].filter((file) => file !== undefined)
}

/** A server of one's own with the API in it, a login and a page: the example `booking`. */
export function newApp(name: string): readonly NewFile[] {
  const scripts = {
    dev: 'node --watch server.ts',
    start: 'node server.ts',
    test: 'node --test',
    check: 'nounkit check . && tsc',
  }
  // The core, too: the adapter takes the newest one where nothing says which, and that is not the one of better-auth.
  const used = [
    '@better-auth/core',
    '@better-auth/kysely-adapter',
    '@hono/node-server',
    'better-auth',
    'hono',
  ]
  return [
    ...filesOf(ofApp, (text) => text),
    packageFile(name, scripts, used, 'scripts: dev, start, test, check'),
  ]
}

interface OwnPackage {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly dependencies: { readonly zod: string }
  readonly devDependencies: { readonly [name: string]: string }
}

/** A new project gets the versions with which this one was tested. */
function packageFile(name: string, scripts: object, used: readonly string[], what: string): NewFile {
  const own: OwnPackage = createRequire(import.meta.url)('../../package.json')
  const tested = (names: readonly string[]) =>
    Object.fromEntries(names.map((one) => [one, own.devDependencies[one]]))
  const content = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: own.engines,
    scripts,
    dependencies: { ...tested(used), nounkit: `^${own.version}`, zod: own.dependencies.zod },
    devDependencies: tested(['@types/node', 'typescript']),
  }
  return { path: 'package.json', text: `${JSON.stringify(content, null, 2)}\n`, what }
}

/** npm refuses to install a package into a project of the same name. */
const taken = ['nounkit', 'zod', 'typescript']

/**
 * A name for the package, the API and its SQLite file, made of any folder's name: a letter, then a-z, 0-9 and hyphens, at most 50 characters.
 */
export function projectName(folder: string): string {
  const words = folder
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-*(?=\d)/, 'api-')
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, '')
  if (words === '') return placeholder
  return taken.includes(words) ? `${words}-api` : words
}
