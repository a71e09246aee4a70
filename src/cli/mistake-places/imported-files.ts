import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import module from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringsOf } from './parse-source.ts'

/** A file, and its state when it was read: null where it does not exist. */
export interface ImportedFile {
  readonly path: string
  readonly stamp: string | null
}

/** The files of the project that were imported, or looked for in vain. */
export interface ImportedFiles {
  readonly all: readonly ImportedFile[]
  /** The text of those that exist. */
  texts(): ReadonlyMap<string, string>
  /** Also counts a file that is not imported. */
  add(path: string): void
}

/** Notes every file of the project from now on. */
export function followImports(): ImportedFiles {
  const stamps = new Map<string, string | null>()
  const note = (url: string): void => {
    if (!url.startsWith('file:')) return
    const path = fileURLToPath(url)
    // The stamp is taken before the file is read: a later change differs from it.
    if (isOfProject(path) && !stamps.has(path)) stamps.set(path, fileStamp(path))
  }
  module.registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context)
      } catch (error) {
        // The file that is missing may be written later.
        if (error instanceof Error && 'url' in error) note(String(error.url))
        throw error
      }
    },
    load(url, context, next) {
      note(url.split('?', 1)[0] ?? url)
      return next(url, context)
    },
  })
  return {
    get all() {
      return [...stamps].map(([path, stamp]) => ({ path, stamp }))
    },
    texts: () =>
      new Map(
        [...stamps]
          .filter(([path, stamp]) => stamp !== null && /\.[cm]?[jt]s$/.test(path))
          .map(([path]) => [path, readText(path)]),
      ),
    add(path) {
      stamps.set(path, fileStamp(path))
    },
  }
}

/** The files in a folder, and the folder itself, whose stamp changes when files are added. */
export function withFilesOf(folder: string): readonly string[] {
  try {
    return [folder, ...readdirSync(folder).map((name) => join(folder, name))]
  } catch {
    return [folder]
  }
}

/**
 * A file with those it imports, and so on, with their texts. They are found by the paths that the texts name, for a command that did not
 * follow the imports while they were loaded.
 */
export function textsFrom(main: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const add = (path: string): void => {
    if (texts.has(path) || !isOfProject(path) || !existsSync(path)) return
    const text = readText(path)
    texts.set(path, text)
    for (const { value } of stringsOf(text))
      if (/^\.{1,2}\/.*\.[cm]?[jt]s$/.test(value)) add(resolve(dirname(path), value))
  }
  add(main)
  return texts
}

/** `src` of a checkout, or `dist` of the package. */
const engine = fileURLToPath(new URL('../../', import.meta.url))

/** Neither an installed package nor the engine. */
export const isOfProject = (path: string): boolean =>
  !path.includes(`${sep}node_modules${sep}`) && !path.startsWith(engine)

/** Changes when the file is written or replaced by another one; null where there is no file. */
export function fileStamp(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.ino}:${found.size}:${found.mtimeMs}` : null
}

/** A file that was deleted since then is empty. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
