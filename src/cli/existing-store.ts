import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { ApiDeclaration } from '../declare/api.ts'
import type { Store } from '../store/store.ts'
import { CommandMistake } from './command-mistake.ts'
import { databaseUrl, openDatabase } from './load.ts'

/** A store for a command that looks for something in it: made anew, it would answer as if nothing had ever happened. */
export async function openExisting(declaration: ApiDeclaration): Promise<Store> {
  const file = fileToBeMade(databaseUrl(declaration))
  if (file === null) return openDatabase(declaration)
  throw new CommandMistake(
    `There is no store yet: ${file} does not exist. Set DATABASE_URL to the store that the service uses, or make this one with nounkit migrate.`,
  )
}

/** The SQLite file that opening would make, or null. */
export function fileToBeMade(url: string): string | null {
  const [, path = ''] = /^sqlite:(?!:memory:)(.+)$/.exec(url) ?? []
  const file = resolve(path)
  return path === '' || existsSync(file) || !existsSync(dirname(file)) ? null : file
}
