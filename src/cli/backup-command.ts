import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { backupSqlite } from '../store/sqlite/backup.ts'
import { type Given, jsonOption } from './command.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'
import { storeUrl } from './command-store.ts'
import { positionalsUpTo } from './positionals.ts'
import { openProgress } from './progress.ts'

export const options = { json: jsonOption } as const

/** `nounkit backup [API] FILE`: writes a consistent copy of a SQLite store, while it serves. The declaration is not compiled. */
export async function backupCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const given = positionalsUpTo(words, 2)
  const file = given.at(-1)
  if (file === undefined || file === '')
    throw new UsageMistake('Which file? Name the one to write, as in: nounkit backup monday.db')
  const url = await storeUrl(given.length > 1 ? given[0] : undefined)
  const path = /^sqlite:(.+)$/.exec(url)?.[1]
  if (path === undefined)
    throw new CommandMistake(
      'nounkit backup copies SQLite files, and this store is PostgreSQL: use pg_dump --format=custom --file=FILE "$DATABASE_URL"',
    )
  const target = targetFile(file)
  const progress = openProgress()
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size !== undefined) progress.show(`Copying ${sizeText(size)} …`)
  const bytes = await backupSqlite(path, target).finally(() => progress.end())
  if (flags.json) console.log(JSON.stringify({ file: target, bytes, store: resolve(path) }))
  else console.log(`Wrote ${file}: ${sizeText(bytes)}.`)
  return 0
}

function targetFile(file: string): string {
  const target = resolve(file)
  // It is not created: where the disk for backups is not mounted, the copy would be on the disk of the store.
  if (!existsSync(dirname(target)))
    throw new CommandMistake(
      `The folder ${dirname(target)} does not exist. Create it, or name a file in another folder.`,
    )
  if (statSync(target, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandMistake(`${file} is a folder. Name a file in it: nounkit backup ${file}/backup.db`)
  return target
}

/** `12.3 MB` */
function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let size = bytes
  let unit = 0
  for (; size >= 1_000 && unit < units.length - 1; unit++) size /= 1_000
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}
