import { basename } from 'node:path'
import { StoreError, type UnavailableReason } from '../store.ts'

/** Primary result codes: https://sqlite.org/rescode.html. Extended codes carry the primary one in their low byte. */
const BUSY = 5
const LOCKED = 6
const CORRUPT = 11
const TOOBIG = 18
const MISMATCH = 20
const NOTADB = 26
const CONSTRAINT_FOREIGNKEY = 787
const CONSTRAINT_PRIMARYKEY = 1555
const CONSTRAINT_UNIQUE = 2067
const CONSTRAINT_DATATYPE = 3091
/** The file, the disk or the memory fails: PERM, ABORT, NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB. */
const unavailableCodes = new Set([3, 4, 7, 8, 9, 10, 11, 13, 14, 15, 26])
/** READONLY, IOERR, FULL. A quota that is used up is an IOERR: SQLite tells only ENOSPC apart. */
const reasons: ReadonlyMap<number, UnavailableReason> = new Map([
  [8, 'read-only'],
  [10, 'disk'],
  [13, 'full'],
])

/** The extended result code of a driver's error, which node:sqlite calls `errcode` and bun:sqlite `errno`. */
const extendedCode = (error: unknown): number | null => {
  if (!(error instanceof Error)) return null
  const { errcode, errno } = error as { readonly errcode?: unknown; readonly errno?: unknown }
  const code = error.name === 'SQLiteError' ? errno : errcode
  return typeof code === 'number' ? code : null
}

export const resultCode = (error: unknown): number | null => {
  const code = extendedCode(error)
  return code === null ? null : code & 0xff
}

export const isBusy = (error: unknown): boolean => {
  const code = resultCode(error)
  return code === BUSY || code === LOCKED
}

/** Why nothing can be written, where the result code tells. */
export const reasonOf = (error: unknown): UnavailableReason | undefined => reasons.get(resultCode(error) ?? 0)

/** A database error as a StoreError; any other error is returned as it is. */
export function sqliteError(error: unknown, file: string): unknown {
  if (isUnreadableInteger(error)) return outOfRange(error)
  const extended = extendedCode(error)
  if (extended === null || !(error instanceof Error)) return error
  switch (extended) {
    case CONSTRAINT_UNIQUE:
    case CONSTRAINT_PRIMARYKEY:
      return uniqueError(error)
    case CONSTRAINT_FOREIGNKEY:
      return new StoreError('foreign-key', error.message, { cause: error })
    case CONSTRAINT_DATATYPE:
      return outOfRange(error)
  }
  if (/^no such (table|column)/.test(error.message))
    return new StoreError('outdated', `SQLite: ${error.message}`, { cause: error })
  const code = extended & 0xff
  if (code === TOOBIG || code === MISMATCH) return outOfRange(error)
  if (error.message === 'integer overflow') return outOfRange(error)
  if (code === BUSY || code === LOCKED || unavailableCodes.has(code)) {
    const remedy = isDamage(error) ? ` ${remedyOf(file)}` : ''
    return new StoreError('unavailable', `SQLite: ${file}: ${error.message} (${extended}).${remedy}`, {
      reason: reasonOf(error),
      cause: error,
    })
  }
  return error
}

/** The file is damaged, or is no SQLite file. */
export const isDamage = (error: unknown): boolean => {
  const code = resultCode(error)
  return code === CORRUPT || code === NOTADB
}

/** A log that is left over is the usual reason after a restore: SQLite cannot tell that it belongs to another file of the same name. */
export const remedyOf = (file: string): string =>
  `The file is damaged. A backup that is copied beside the ${basename(file)}-wal and ${basename(file)}-shm of an earlier file is damaged by them. Stop the service, move ${file} away together with ${file}-wal and ${file}-shm where they exist, and only then copy a backup there. Or save what can be read into a new file with "sqlite3 ${file} .recover | sqlite3 ${file}.new".`

/** The drivers refuse to read an integer that a number cannot hold. */
const isUnreadableInteger = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'

const outOfRange = (cause: { readonly message: string }): StoreError =>
  new StoreError('out-of-range', `SQLite: ${cause.message}`, { cause })

/** `UNIQUE constraint failed: customers.account_id, customers.email` */
function uniqueError(error: Error): StoreError {
  const named = error.message.split(': ')[1]?.split(', ') ?? []
  const parts = named.map((name) => name.split('.'))
  const table = parts[0]?.[0]
  const columns = parts.map((part) => part[1] ?? '').filter((column) => column !== 'account_id')
  return new StoreError('unique', error.message, { ...(table && { table }), columns, cause: error })
}
