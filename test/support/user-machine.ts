import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Child, shell } from './child.ts'
import { temporaryFolder } from './databases.ts'
import { startRegistry } from './registry.ts'

/** Somebody's machine: an empty folder, Node and npm on the PATH, and a registry that has our packages. Nothing of the checkout. */
export interface UserMachine {
  readonly folder: string
  readonly env: { readonly [name: string]: string }
  /** A line in a shell, below the folder. */
  start(line: string, within?: string): Child
  /** A line to its end; throws with its output when it fails. */
  run(line: string, within?: string): Promise<string>
}

export async function userMachine(): Promise<UserMachine> {
  const [folder, home] = [temporaryFolder(), temporaryFolder()]
  mkdirSync(join(home, 'bin'))
  symlinkSync(process.execPath, join(home, 'bin/node'))
  writeFileSync(join(home, '.npmrc'), 'audit=false\nfund=false\nupdate-notifier=false\n')
  const env = {
    HOME: home,
    PATH: [join(home, 'bin'), machinePath()].join(delimiter),
    npm_config_registry: await startRegistry(),
    npm_config_userconfig: join(home, '.npmrc'),
    npm_config_cache: join(home, 'npm-cache'),
    // The cache of the checkout is not that of a user, whose project has its own.
    NODE_COMPILE_CACHE: '',
  }
  const start = (line: string, within = '.'): Child => shell(line, { cwd: join(folder, within), env })
  return {
    folder,
    env,
    start,
    async run(line, within) {
      const child = start(line, within)
      const { code } = await child.ended
      if (code !== 0) throw new Error(`${line} ended with ${code}:\n${child.output}`)
      return child.stdout
    },
  }
}

/** The PATH without the checkout's own programs, which npm and people put before the machine's. */
export const machinePath = (): string =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => !entry.includes('node_modules'))
    .join(delimiter)
