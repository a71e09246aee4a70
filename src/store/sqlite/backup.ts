import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { sqlText } from '../../kinds/sql.ts'
import { newCounters, StoreError, StoreRefused } from '../store.ts'
import { type Connection, openConnection } from './connection.ts'
import { resultCode, sqliteError } from './errors.ts'
import { refuseForeignLog } from './foreign-log.ts'
import { refuseForeignFile } from './open-sqlite.ts'
import { whenFree } from './retry.ts'

const FULL = 13
const patienceMs = 10_000

/**
 * Writes a consistent copy of a store while other processes use it: VACUUM INTO reads within one transaction, which blocks nobody. The
 * copy gets its name when it is complete and on the disk. Resolves with its size in bytes.
 */
export async function backupSqlite(path: string, target: string): Promise<number> {
  const file = resolve(path)
  if (!existsSync(file))
    throw new StoreRefused(
      `There is no store: ${file} does not exist. Set DATABASE_URL to the store that the service uses.`,
    )
  refuseForeignLog(file)
  refuseTaken(target)
  // Not with the process's number, which is the same each time in a container: what a killed backup has left would be in the way.
  const partial = `${target}.${randomUUID().slice(0, 8)}.partial`
  createPartial(partial, target, statSync(file).mode)
  try {
    await vacuumInto(file, partial)
    // VACUUM INTO itself does not wait until the copy is on the disk.
    sync(partial)
    refuseTaken(target)
    renameSync(partial, target)
    sync(dirname(target))
    return statSync(target).size
  } catch (error) {
    for (const left of [partial, `${partial}-journal`]) rmSync(left, { force: true })
    throw resultCode(error) === FULL ? noRoom(target, error) : sqliteError(error, file)
  }
}

/** What SQLite appends to the path of a database for the files that it keeps beside it: logs, and the index of one. */
const suffixes = ['-wal', '-shm', '-journal'] as const

/** Throws where there is a file already, or a log that SQLite would read as the copy's, or where SQLite would take the copy for a log. */
function refuseTaken(target: string): void {
  const taken = ['', ...suffixes]
    .map((suffix) => target + suffix)
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }))
  if (taken.length > 0)
    throw new StoreRefused(
      `${taken.join(' and ')} ${taken.length === 1 ? 'exists' : 'exist'}. A copy replaces nothing, and is not written beside the log of another database. Name another file.`,
    )
  if (suffixes.some((suffix) => target.endsWith(suffix)))
    throw new StoreRefused(`${target} is the name of a log of SQLite. Name another file for the copy.`)
}

/** The copy has the same secrets as the store, so it gets the same permissions, and none for others than its user and group. */
function createPartial(partial: string, target: string, mode: number): void {
  try {
    closeSync(openSync(partial, 'wx', mode & 0o770))
  } catch (error) {
    throw new StoreRefused(
      `${target} cannot be created (${(error as NodeJS.ErrnoException).code}). Name a file in a folder that this user may write to.`,
      error,
    )
  }
}

async function vacuumInto(file: string, partial: string): Promise<void> {
  const connection = openConnection(file, {}, newCounters())
  try {
    await whenFree(() => refuseForeignFile(connection, file), patienceMs)
    await whenFree(() => refuseEmptyFile(connection, file), patienceMs)
    await whenFree(() => connection.exec(`VACUUM INTO ${sqlText(partial)}`), patienceMs)
  } finally {
    connection.close()
  }
}

function refuseEmptyFile(connection: Connection, file: string): void {
  if (connection.first('SELECT 1 FROM sqlite_schema LIMIT 1', []) === undefined)
    throw new StoreRefused(
      `There is no store: ${file} has no tables. Set DATABASE_URL to the store that the service uses.`,
    )
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const noRoom = (target: string, cause: unknown): StoreError =>
  new StoreError(
    'unavailable',
    `The disk is full: ${target} was not written. Make room, or name a file on another disk.`,
    {
      cause,
    },
  )
