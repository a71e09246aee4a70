import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { StoreRefused } from '../store.ts'

/** What SQLite appends to the path of a database for the files that it keeps beside it: logs, and the index of one. */
const suffixes = ['-wal', '-shm', '-journal'] as const

/** Whether a path leads to the store or to one of the files beside it, through links too. */
export function isOfStore(store: string, path: string): boolean {
  if (!existsSync(store)) return false
  // Where the store is a link, the other files are beside the file that the link leads to.
  const file = realpathSync(store)
  return [file, ...suffixes.map((suffix) => file + suffix)].some(
    (own) => isSame(own, path) || (basename(own) === basename(path) && isSame(dirname(own), dirname(path))),
  )
}

/** Whether two paths lead to the same file or folder, which exists. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

/**
 * Throws where the log of another database is beside the path of a copy. SQLite would read that log's pages as if they were the copy's. It
 * is not removed here: a program may still have that database open, or its last writes may be only in the log.
 */
export function refuseLogBeside(target: string): void {
  const paths = suffixes.map((suffix) => target + suffix).filter((path) => existsSync(path))
  if (paths.length === 0) return
  const beside = paths.map((path) => basename(path)).join(' and ')
  throw new StoreRefused(
    `${target} cannot be written: beside it there is ${beside}, of the database that is or was ${basename(target)}, and SQLite would damage the copy with that. End the program that has that database open. If there is none, remove ${existsSync(target) ? `${basename(target)} and ` : ''}${beside}, or name another file.`,
  )
}
