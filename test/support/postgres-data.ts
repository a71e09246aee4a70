import { execFile } from 'node:child_process'
import { chmodSync, chownSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { postgresFolder, type ServerUser, serverUser } from './postgres-binaries.ts'
import { watch } from './watchdog.ts'

export const superuser = 'postgres'
const run = promisify(execFile)

/** The data of a new server, by initdb. */
export async function initialise(
  binaries: string,
  data: string,
  user: ServerUser,
  more: readonly string[] = [],
): Promise<void> {
  // A linguistic collation, as in most production databases: SQL that relies on byte order must say so itself.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en']
  const args = [
    '-D',
    data,
    '-U',
    superuser,
    '--auth=trust',
    '--no-sync',
    '--no-instructions',
    ...locale,
    ...more,
  ]
  await run(join(binaries, 'initdb'), args, { ...user, cwd: '/', env: serverEnvironment() })
}

/** The variable that names a folder which initdb filled. initdb takes a second of processor time, a copy of its folder hardly any. */
const initialisedData = 'NOUNKIT_TEST_POSTGRES_DATA'

/** From now on, servers that this process and the processes it forks start have copies of one folder. Gives what removes it. */
export async function initialiseOnce(newFolder: (prefix: string) => string): Promise<() => void> {
  const user = serverUser()
  const folder = ownFolder(newFolder, user)
  const data = join(folder, 'data')
  // No server has this folder. The watchdog only removes it, should the run be killed.
  const unwatch = watch(join(data, 'postmaster.pid'), folder)
  await initialise(join(postgresFolder(user), 'bin'), data, user)
  process.env[initialisedData] = data
  return () => {
    unwatch()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** As `initialise`, from the folder of `initialiseOnce` where there is one. */
export async function copyOrInitialise(binaries: string, data: string, user: ServerUser): Promise<void> {
  const made = process.env[initialisedData]
  if (made) await run('cp', ['-r', made, data], user)
  else await initialise(binaries, data, user)
}

/** A new folder that only the user of the server can enter. */
export function ownFolder(newFolder: (prefix: string) => string, user: ServerUser): string {
  const folder = newFolder('nounkit-pg-')
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  return folder
}

/** PGDATA, PGPORT and their like of the caller must not steer this server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PG') && !name.startsWith('LC_'),
  )
  return { ...Object.fromEntries(kept), LANG: 'C', LC_ALL: 'C' }
}
