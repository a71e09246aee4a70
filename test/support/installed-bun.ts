import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * The path of Bun from npm. Null where it is not installed: its install script fetches the program, and does not where scripts are off, or where
 * there is none for the machine.
 */
export function installedBun(): string | null {
  const path = fileURLToPath(new URL('../../node_modules/bun/bin/bun.exe', import.meta.url))
  return spawnSync(path, ['--version']).status === 0 ? path : null
}
