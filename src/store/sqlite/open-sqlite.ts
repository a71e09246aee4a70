import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { metaTable } from '../meta.ts'
import { newCounters, type Store, type StoreCounters, StoreRefused } from '../store.ts'
import { type Connection, openConnection } from './connection.ts'
import { isBusy, isDamage, remedyOf, resultCode } from './errors.ts'
import { refuseForeignLog } from './foreign-log.ts'
import { whenFree } from './retry.ts'
import { type Connections, sqliteStore } from './sqlite-store.ts'

const READONLY = 8
const NOTADB = 26

/**
 * The file is memory-mapped as far as SQLite can, so that a page is read without a system call: a fifth of the time of a look-up.
 * The system may reclaim mapped pages, although it counts them as the process's memory. SQLite's own cache then holds only pages
 * of the write-ahead log. It is small because a commit that splits a page searches all of it.
 */
const pageAccess = 'PRAGMA cache_size = -4000; PRAGMA mmap_size = 2147418112'

/**
 * The write-ahead log is copied into the file at 16 MB instead of 4: a page that is in the log many times is copied once. The
 * index of the log has tables of 4,062 pages each; with a longer log every read would search several of them.
 */
const logLength = 'PRAGMA wal_autocheckpoint = 4000'

/** A store in one file, which is created when it is missing. */
export async function openSqlite(path: string, patienceMs: number): Promise<Store> {
  refuseUnusablePath(path)
  const file = resolve(path)
  const counters = newCounters()
  const opened: Connection[] = []
  try {
    const connections = await connect(file, counters, opened, patienceMs)
    return sqliteStore(file, connections, counters, patienceMs)
  } catch (error) {
    for (const connection of opened) connection.close()
    throw error instanceof StoreRefused ? error : refusal(file, error)
  }
}

async function connect(
  file: string,
  counters: StoreCounters,
  opened: Connection[],
  patienceMs: number,
): Promise<Connections> {
  refuseForeignLog(file)
  createForOwnerOnly(file)
  const writer = openConnection(file, {}, counters)
  opened.push(writer)
  // Checked before the first change, so that another program's file is left as it is.
  await whenFree(() => refuseForeignFile(writer, file), patienceMs)
  await whenFree(() => writer.exec('PRAGMA journal_mode = WAL'), patienceMs)
  // FULL: an acknowledged write survives the loss of power, not only of the process.
  writer.exec('PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF')
  // What a statement or savepoint would need to be undone is kept in memory. SQLite would write it to a temporary file when it is more
  // than 64 KB, which is over half of all writes to disk of an import.
  writer.exec('PRAGMA temp_store = MEMORY')
  writer.exec(pageAccess)
  writer.exec(logLength)
  // A read-only file can be opened and read; only a write fails.
  await whenFree(() => writer.exec('BEGIN IMMEDIATE; ROLLBACK'), patienceMs)
  const reader = openConnection(file, { readOnly: true }, counters)
  opened.push(reader)
  reader.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON')
  reader.exec(pageAccess)
  return { reader, writer }
}

/**
 * The store has everybody's rows, hashes of keys and sealed secrets, so a new file is for its user only. SQLite gives `-wal` and `-shm` the
 * permissions of the file. Those of a file that exists are left alone: somebody may have meant them.
 */
function createForOwnerOnly(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

function refuseUnusablePath(path: string): void {
  if (path === '' || path.startsWith(':memory:'))
    throw new StoreRefused(
      `sqlite:${path} names no file. A store is always a file, shared by its readers and its writer: write sqlite:path/to/file.db.`,
    )
  const folder = dirname(resolve(path))
  if (!existsSync(folder))
    throw new StoreRefused(
      `sqlite:${path}: the folder ${folder} does not exist. Create it, or correct the path.`,
    )
  if (existsSync(path) && statSync(path).isDirectory())
    throw new StoreRefused(
      `sqlite:${path} is a folder. Name a file in it, for example sqlite:${path}/api.db.`,
    )
  if (!mayWrite(existsSync(path) ? path : folder) || !mayWrite(folder)) throw readOnlyRefusal(resolve(path))
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** An empty file is not refused. */
export function refuseForeignFile(connection: Connection, file: string): void {
  const tables = connection
    .all(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
      [],
    )
    .map(([name]) => String(name))
  if (tables.length === 0 || tables.includes(metaTable)) return
  const some = tables.slice(0, 5).join(', ') + (tables.length > 5 ? ', …' : '')
  throw new StoreRefused(
    `${file} is the database of another program: it has tables (${some}) but no nounkit_meta. Name a new file, or the one this API was served from before.`,
  )
}

const readOnlyRefusal = (file: string, cause?: unknown): StoreRefused =>
  new StoreRefused(
    `${file} cannot be written: the file or its folder is read-only for this user. Allow writing to both, or name another file.`,
    cause,
  )

function refusal(file: string, error: unknown): unknown {
  const code = resultCode(error)
  if (code === NOTADB)
    return new StoreRefused(
      `${file} is not a SQLite database. Name a new file, or restore this one from a backup.`,
      error,
    )
  if (isDamage(error) && error instanceof Error)
    return new StoreRefused(`${file} cannot be opened: ${error.message}. ${remedyOf(file)}`, error)
  if (code === READONLY) return readOnlyRefusal(file, error)
  if (isBusy(error) || (error instanceof Error && isBusy(error.cause)))
    return new StoreRefused(
      `${file} is locked by another program. End that program (a database browser with an open transaction, perhaps) and start again.`,
      error,
    )
  if (code !== null && error instanceof Error)
    return new StoreRefused(
      `${file} cannot be opened: ${error.message}. Check the disk, the path and its permissions.`,
      error,
    )
  return error
}
