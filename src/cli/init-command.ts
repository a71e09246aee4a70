import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { shellWord } from '../lifecycle/shell-option.ts'
import { aligned } from './aligned.ts'
import type { Given } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { type NewFile, newApp, newProject, projectName } from './new-project.ts'
import { positionalsUpTo } from './positionals.ts'

export const options = {
  yes: { type: 'boolean', short: 'y', does: 'asks nothing' },
  app: { type: 'boolean', does: 'a server of your own with the API, a login and a page' },
} as const
const defaultFolder = 'my-api'

/** `nounkit init DIR`: writes a small project with an API of its own. */
export async function initCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [given] = positionalsUpTo(words, 1)
  const place = given ?? (flags.yes ? defaultFolder : await askFolder())
  const folder = folderAt(place)
  const files = (flags.app ? newApp : newProject)(projectName(basename(folder)))
  refuseToReplace(folder, place, files)
  try {
    for (const { path, text } of files) {
      makeFolder(dirname(join(folder, path)))
      writeFileSync(join(folder, path), text, { flag: 'wx' })
    }
  } catch (error) {
    throw fileMistake(error, place)
  }
  console.log(summary(place, files, flags.app ? appGuide : tutorial))
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

/** Throws before anything is written where a file of the project is there already: none is replaced. */
function refuseToReplace(folder: string, place: string, files: readonly NewFile[]): void {
  const there = files.map(({ path }) => path).filter((path) => existsSync(join(folder, path)))
  if (there.length > 0)
    throw new CommandMistake(
      `"${place}" has ${there.join(', ')} already. Choose another folder, or move ${there.length === 1 ? 'it' : 'them'} away.`,
    )
}

/** Not `recursive`: where the system refuses a new folder as if its parent were missing, as in /proc, Node would try for ever. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

function fileMistake(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  return new CommandMistake(`"${place}" cannot be written (${error.message}). Choose another folder.`)
}

function summary(place: string, files: readonly NewFile[], guide: string): string {
  const lines = aligned(files.map(({ path, what }) => ['', path, what]))
  const enter = resolve(place) === process.cwd() ? [] : [`  cd ${shellWord(place)}`]
  const next = ['Next:', ...enter, '  npm install', '  npm run dev']
  return ['Created:', ...lines, '', ...next, '', guide].join('\n')
}

/** Paths from the new folder. */
const tutorial = 'The tutorial: node_modules/nounkit/docs/tutorial/first-api.md'
const appGuide = 'How its parts work together: node_modules/nounkit/examples/booking/README.md'
