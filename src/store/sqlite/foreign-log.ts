import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { StoreRefused } from '../store.ts'

/** Where the header of a file says whether it has a write-ahead log: https://sqlite.org/fileformat.html#file_format_version_numbers */
const versionAt = 18
const withoutLog = 1

/**
 * Throws where a backup was copied beside the write-ahead log of the file that it replaces, as a killed service leaves it. SQLite would apply
 * that log to the backup, which damages it or undoes the restore. `nounkit backup` writes files whose header says that they have no log, and a
 * store gets another header before its log is created. So a log beside such a file belongs to another one.
 */
export function refuseForeignLog(path: string): void {
  if (!existsSync(path)) return
  const file = realpathSync(path)
  const log = `${file}-wal`
  // Looked at before the header: another process may open the same backup now, which changes the header and then creates the log.
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0 || versionOf(file) !== withoutLog) return
  throw new StoreRefused(
    `${path} is a backup, and ${log} beside it is the log of the file that was there before. SQLite would mix the two. Nothing was changed. Move ${log} away, and ${file}-shm if it exists, and start again.`,
  )
}

function versionOf(file: string): number | undefined {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = new Uint8Array(1)
    return readSync(descriptor, bytes, 0, 1, versionAt) === 1 ? bytes[0] : undefined
  } finally {
    closeSync(descriptor)
  }
}
