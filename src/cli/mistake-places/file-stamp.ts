import { statSync } from 'node:fs'

/** Changes when the file is written or replaced by another one; null where there is no file. */
export function fileStamp(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.ino}:${found.size}:${found.mtimeMs}` : null
}
