import { existsSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { positionAt, type TextPosition } from './code-frame.ts'
import { stringsOf } from './parse-source.ts'

/** An import of a file that does not exist, as it is written. */
export interface MissingImport extends TextPosition {
  readonly file: string
  readonly specifier: string
  /** What to write instead, where the extension was left out or is another one; null where no such file exists. */
  readonly instead: string | null
}

/** Finds the import that failed: `Cannot find module '/project/tasks' imported from /project/api.ts`. Null for other errors. */
export function missingImport(
  { message }: Error,
  textOf: (file: string) => string | undefined,
): MissingImport | null {
  const [, missing = '', file = ''] =
    /^(?:Cannot find (?:module|package)|Directory import) '([^']+)'.* imported from (.+)$/m.exec(message) ??
    []
  const text = textOf(file)
  if (text === undefined) return null
  const isIt = (value: string): boolean =>
    value.startsWith('.')
      ? resolve(dirname(file), value) === resolve(missing)
      : `${value}/`.startsWith(`${missing}/`)
  const written = stringsOf(text).find(({ value }) => isIt(value))
  if (!written) return null
  const found = fileNear(missing)
  const instead = found && relativeSpecifier(dirname(file), found)
  return { file, specifier: written.value, instead, ...positionAt(text, written.at) }
}

const extensions = ['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js']

/** The file that was probably meant. */
const fileNear = (path: string): string | null => {
  const without = path.replace(/\.[cm]?[jt]s$/, '')
  return extensions.map((extension) => without + extension).find((one) => existsSync(one)) ?? null
}

function relativeSpecifier(folder: string, file: string): string {
  const path = relative(folder, file).replaceAll(sep, '/')
  return path.startsWith('.') ? path : `./${path}`
}
