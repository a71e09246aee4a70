import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compileApi } from '../compile/compile.ts'
import type { Model } from '../compile/model.ts'
import { type FrozenContracts, readContracts } from '../contract/contract-files.ts'
import type { ApiDeclaration } from '../declare/api.ts'
import { CommandMistake, LoadMistake } from './command-mistake.ts'
import { type MissingImport, missingImport } from './mistake-places/missing-import.ts'
import { stackPosition } from './stack-position.ts'

/** A declaration and its folder's frozen contracts. */
export interface LoadedApi {
  readonly declaration: ApiDeclaration
  readonly folder: string
  readonly path: string
  /** The path relative to the working directory, for messages. */
  readonly file: string
  readonly frozen: FrozenContracts
}

const fileNames = ['api.ts', 'api.mts', 'api.js', 'api.mjs']

/** Loads an API, that of the current folder where `place` is undefined. */
export async function loadApi(place: string | undefined): Promise<LoadedApi> {
  const path = declarationPath(place)
  const declaration = await importDeclaration(path)
  const folder = dirname(path)
  return {
    declaration,
    folder,
    path,
    file: relative(process.cwd(), path),
    frozen: await readContracts(contractsFolder(folder)),
  }
}

/** Where a declaration and its contracts are looked for, whether they exist or not. */
export function declarationFiles(place: string): {
  readonly files: readonly string[]
  readonly contracts: string
} {
  const path = resolve(place)
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() || fileNames.includes(basename(path))
  const folder = isFile ? dirname(path) : path
  return {
    files: isFile ? [path] : fileNames.map((name) => join(path, name)),
    contracts: join(folder, contractsName),
  }
}

const contractsName = 'contracts'

function contractsFolder(folder: string): string {
  const path = join(folder, contractsName)
  if (!existsSync(path) || statSync(path).isDirectory()) return path
  throw new CommandMistake(
    `"${relative(process.cwd(), path)}" is a file. Move it: the folder of frozen contracts has this name.`,
  )
}

/** Whether it is the folder of a declaration, or a file. */
export const isDeclarationAt = (place: string): boolean => {
  const path = resolve(place)
  return existsSync(path) && (statSync(path).isFile() || declarationIn(path) !== undefined)
}

const declarationIn = (folder: string): string | undefined =>
  fileNames.map((name) => join(folder, name)).find((file) => existsSync(file))

/** The file of a declaration, that of the current folder where `place` is undefined; throws where there is none. */
export function declarationPath(place: string | undefined): string {
  if (place === undefined) return declarationIn(resolve('.')) ?? fail(noneHere)
  const path = resolve(place)
  if (!existsSync(path)) fail(`There is no file or folder "${place}".`)
  if (statSync(path).isFile()) return path
  const found = declarationIn(path)
  const example = "export default api('name', { … })"
  return found ?? fail(`"${place}" has no declaration. Put one into ${join(place, 'api.ts')}: ${example}`)
}

const noneHere =
  'The current folder has no declaration (api.ts). Name the folder of one, as in: nounkit check examples/shop. nounkit init makes a new one.'

const fail = (sentence: string): never => {
  throw new CommandMistake(sentence)
}

async function importDeclaration(path: string): Promise<ApiDeclaration> {
  const shown = relative(process.cwd(), path)
  let loaded: { readonly default?: { readonly kind?: unknown } }
  try {
    loaded = await import(pathToFileURL(path).href)
  } catch (error) {
    throw new LoadMistake(`${shown} could not be loaded: ${loadingError(error, path)}`, path, {
      cause: error,
    })
  }
  if (loaded.default?.kind !== 'api') {
    throw new LoadMistake(`${shown} does not export an API. Write: export default api('name', { … })`, path)
  }
  return loaded.default as unknown as ApiDeclaration
}

/** The error's message, with the file and line in the user's own folder instead of the whole stack. */
function loadingError(error: unknown, path: string): string {
  if (!(error instanceof Error)) return String(error)
  const position = positionIn(dirname(path), error.stack ?? '')
  const missing = /^Cannot find package '([^']+)'/.exec(error.message)?.[1]
  if (missing) return `it imports "${missing}", which is not installed there. Run: npm install ${missing}`
  const absent = missingImport(error, textOf)
  if (absent) return absentText(absent)
  const hint = loadingHint(error)
  return `${error.message}${position ? ` (${position})` : ''}${hint ? `. ${hint}` : ''}`
}

/** How to fix errors of Node whose message does not say it; null for all others. */
function loadingHint(error: Error): string | null {
  const [, early] = /^Cannot access '([^']+)' before initialization$/.exec(error.message) ?? []
  if (early !== undefined)
    return `"${early}" is declared later, in this file or in one that imports it. A resource can be given by its name, as in hasMany('orders').`
  if ('code' in error && error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return 'Node only removes types, and this is more than a type: write it as JavaScript.'
  return null
}

const textOf = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined

function absentText({ file, line, specifier, instead }: MissingImport): string {
  const hint =
    instead === null
      ? 'There is no such file.'
      : `There is no such file: Node needs the whole name. Write '${instead}'.`
  return `${relative(process.cwd(), file)}:${line} imports '${specifier}'. ${hint}`
}

/** The first line of the stack that is within the folder, as `examples/shop/v1.ts:12`. */
function positionIn(folder: string, stack: string): string | null {
  const isWithin = (file: string): boolean => file.startsWith(folder + sep) && !file.includes('node_modules')
  const found = stackPosition(stack, isWithin)
  return found && `${relative(process.cwd(), found.file)}:${found.line}`
}

export const compileLoaded = (api: LoadedApi): Model =>
  compileApi(api.declaration, { contracts: api.frozen.contracts, file: api.file })
