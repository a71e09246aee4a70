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

/** Names in the template have no leading dot: npm reads a `.gitignore` within a package as its own, and drops it. */
const copied = [
  ['api.ts', 'api.ts', 'two resources: start here'],
  ['api.test.ts', 'api.test.ts', 'a test of them'],
  ['tsconfig.json', 'tsconfig.json', 'how tsc checks types'],
  ['gitignore', '.gitignore', ''],
  ['dockerignore', '.dockerignore', ''],
  ['Dockerfile', 'Dockerfile', 'the service as an image'],
  ['workflow.yml', '.github/workflows/check.yml', 'check and test at every push'],
] as const

export function newProject(name: string): readonly NewFile[] {
  const files = copied.map(([source, path, what]) => ({
    path,
    text: readFileSync(new URL(`../../template/${source}`, import.meta.url), 'utf8').replaceAll(
      placeholder,
      name,
    ),
    what,
  }))
  return [
    ...files.slice(0, 2),
    { path: 'package.json', text: packageJson(name), what: 'scripts: dev, start, test, check' },
    ...files.slice(2),
  ]
}

interface OwnPackage {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly dependencies: { readonly zod: string }
  readonly devDependencies: { readonly typescript: string; readonly '@types/node': string }
}

/** A new project gets the versions with which this one was tested. */
function packageJson(name: string): string {
  const own: OwnPackage = createRequire(import.meta.url)('../../package.json')
  const { typescript, '@types/node': nodeTypes } = own.devDependencies
  const content = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: own.engines,
    scripts: {
      dev: 'nounkit dev',
      start: 'nounkit serve .',
      test: 'node --test',
      check: 'nounkit check .',
    },
    dependencies: { nounkit: `^${own.version}`, zod: own.dependencies.zod },
    devDependencies: { '@types/node': nodeTypes, typescript },
  }
  return `${JSON.stringify(content, null, 2)}\n`
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
