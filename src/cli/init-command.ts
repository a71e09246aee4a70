import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { type NewFile, newApp, newProject, projectName } from './new-project.ts'
import { positionalsUpTo } from './positionals.ts'

export const options = {
  yes: { type: 'boolean', short: 'y', does: 'asks nothing' },
  force: { type: 'boolean', does: 'writes into a folder that is not empty' },
  app: { type: 'boolean', does: 'a server of your own with the API, a login and a page' },
} as const
const defaultFolder = 'my-api'

/** `nounkit init DIR`: writes a small project with an API of its own. */
export async function initCommand(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [given] = positionalsUpTo(positionals, 1)
  const place = given ?? (values.yes ? defaultFolder : await askFolder())
  const folder = folderAt(place)
  const files = (values.app ? newApp : newProject)(projectName(basename(folder)))
  const replaced = refuseToHarm(folder, place, files, values.force ?? false)
  try {
    for (const { path, text } of files) {
      makeFolder(dirname(join(folder, path)))
      writeFileSync(join(folder, path), text, { flag: replaced.has(path) ? 'w' : 'wx' })
    }
  } catch (error) {
    throw fileMistake(error, place)
  }
  console.log(summary(place, files, replaced))
  return 0
}

async function askFolder(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new UsageMistake(
      `Which folder? Write: nounkit init ${defaultFolder}, or --yes for a folder of that name.`,
    )
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = await Promise.race([
      terminal.question(`Folder of the new project (${defaultFolder}): `),
      new Promise<never>((_, reject) => {
        terminal.once('close', () => reject(new CommandMistake('\nNothing was created.')))
      }),
    ])
    return answer.trim() || defaultFolder
  } finally {
    terminal.close()
  }
}

function folderAt(place: string): string {
  if (place.trim() === '' || /\p{Cc}/u.test(place)) {
    throw new UsageMistake(
      `${JSON.stringify(place)} is no name for a folder. Write: nounkit init ${defaultFolder}`,
    )
  }
  return resolve(place)
}

/** The files that will be replaced. Throws before anything is written, when the folder is in use or a path leads out of it. */
function refuseToHarm(
  folder: string,
  place: string,
  files: readonly NewFile[],
  force: boolean,
): ReadonlySet<string> {
  const present = entriesOf(folder, place).filter((entry) => entry !== '.git')
  const replaced = new Set<string>()
  for (const { path } of files) {
    const parts = path.split('/')
    for (const depth of parts.keys()) {
      const isFile = depth === parts.length - 1
      const found = lstatSync(join(folder, ...parts.slice(0, depth + 1)), { throwIfNoEntry: false })
      if (found && !(isFile ? found.isFile() : found.isDirectory())) {
        throw new CommandMistake(
          `"${place}" has "${parts.slice(0, depth + 1).join('/')}", which is not a plain ${isFile ? 'file' : 'folder'}. Move it away, or choose another folder.`,
        )
      }
      if (found && isFile) replaced.add(path)
    }
  }
  if (present.length > 0 && !force) {
    const harm = replaced.size > 0 ? `, which replaces ${[...replaced].join(', ')}` : ''
    throw new CommandMistake(
      `"${place}" is not empty. Choose another folder, or write into it with --force${harm}.`,
    )
  }
  return replaced
}

/** Not `recursive`: where the system refuses a new folder as if its parent were missing, as in /proc, Node would try for ever. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

function entriesOf(folder: string, place: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw fileMistake(error, place)
  }
}

function fileMistake(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  return new CommandMistake(`"${place}" cannot be written (${error.message}). Choose another folder.`)
}

function summary(place: string, files: readonly NewFile[], replaced: ReadonlySet<string>): string {
  const width = Math.max(...files.map(({ path }) => path.length))
  const lines = files.map(({ path, what }) =>
    `  ${path.padEnd(width)}  ${replaced.has(path) ? 'replaced. ' : ''}${what}`.trimEnd(),
  )
  const enter = resolve(place) === process.cwd() ? [] : [`  cd ${quoted(place)}`]
  const next = ['Next:', ...enter, '  npm install', '  npm run dev']
  return ['Created:', ...lines, '', ...next, '', `The tutorial: ${tutorial}`].join('\n')
}

/** As it is found in the new folder. */
const tutorial = 'node_modules/nounkit/docs/tutorial/first-api.md'

/** As a shell takes it. */
const quoted = (path: string): string =>
  /^[\w./~-]+$/.test(path) && !path.startsWith('-') && !path.startsWith('~')
    ? path
    : `'${path.replaceAll("'", "'\\''")}'`
