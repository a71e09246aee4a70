import { chmodSync, chownSync, copyFileSync, cpSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import lock from '../../package-lock.json' with { type: 'json' }
import { type Child, program } from './child.ts'
import { whenOver } from './clean-up.ts'
import { temporaryFolder } from './databases.ts'
import { serverUser } from './postgres-binaries.ts'
import type { UserMachine } from './user-machine.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The image of the Dockerfile, made by hand: a folder that stands for `/`, where only `/data` and `/tmp` can be written. */
export interface BuiltImage {
  readonly folder: string
  /** A command of `nounkit` in the image's working folder, as an ordinary user, with the image's variables. */
  nounkit(args: readonly string[], env?: { readonly [name: string]: string }): Child
  /** Of CMD: what the image runs when nothing else is said. */
  readonly command: readonly string[]
}

/** What the last stage of a Dockerfile says. */
interface Stage {
  readonly env: { readonly [name: string]: string }
  readonly copies: readonly { readonly fromBuild: boolean; readonly from: string; readonly to: string }[]
  readonly command: readonly string[]
}

/** The machine has installed the packed package in its folder. */
export async function builtImage(machine: UserMachine): Promise<BuiltImage> {
  const build = await buildStage(machine)
  const stage = lastStage(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  const folder = temporaryFolder()
  const user = serverUser()
  for (const { fromBuild, from, to } of stage.copies)
    cpSync(join(fromBuild ? build : root, from), join(folder, to), {
      recursive: true,
      verbatimSymlinks: true,
    })
  mkdirSync(join(folder, 'usr/local/bin'), { recursive: true })
  const node = join(folder, 'usr/local/bin/node')
  copyFileSync(process.execPath, node)
  chmodTree(folder, 0o555)
  whenOver(() => chmodTree(folder, 0o755))
  for (const name of ['data', 'tmp']) makeWritable(folder, name, user)
  const env = {
    ...stage.env,
    DATABASE_URL: stage.env.DATABASE_URL?.replace('sqlite:', `sqlite:${folder}`) ?? '',
    HOME: '/nonexistent',
    TMPDIR: join(folder, 'tmp'),
    PATH: `${dirname(node)}:/usr/bin:/bin`,
    // Loopback, and any free port, instead of 0.0.0.0:3000.
    HOST: '127.0.0.1',
    PORT: '0',
  }
  return {
    folder,
    command: stage.command,
    nounkit: (args, more) =>
      program(node, [join(folder, 'app/bin/nounkit.js'), ...args], {
        cwd: join(folder, 'app'),
        env: { ...env, ...more },
        user,
      }),
  }
}

/**
 * The stage `build`, as a folder: `/app` without development dependencies, and `/drivers`. The packed package takes the place of
 * `npm ci`, the build and `npm prune`: those would fetch every development dependency.
 */
async function buildStage(machine: UserMachine): Promise<string> {
  const version = (name: 'pg' | 'ioredis') => lock.packages[`node_modules/${name}`].version
  mkdirSync(join(machine.folder, 'drivers'))
  await machine.run(
    `npm install --prefix drivers --no-package-lock --ignore-scripts "pg@${version('pg')}" "ioredis@${version('ioredis')}"`,
  )
  const installed = join(machine.folder, 'node_modules')
  const app = join(machine.folder, 'app')
  cpSync(join(installed, 'nounkit'), app, { recursive: true })
  // What commands have cached on this machine is not in an image.
  const notCopied = [join(installed, 'nounkit'), join(installed, '.cache')]
  cpSync(installed, join(app, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !notCopied.includes(path),
  })
  return machine.folder
}

function lastStage(dockerfile: string): Stage {
  const lines = (
    dockerfile
      .replaceAll('\\\n', ' ')
      .split(/^FROM /m)
      .at(-1) ?? ''
  ).split('\n')
  const words = (instruction: string): readonly string[][] =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.split(/ +/).slice(1))
  const [workFolder = '/'] = words('WORKDIR')[0] ?? []
  const copies = words('COPY').map((given) => {
    const paths = given.filter((word) => !word.startsWith('--'))
    const [from = '', to = ''] = paths
    const target = to.startsWith('/') ? to : join(workFolder, to)
    return {
      fromBuild: given.includes('--from=build'),
      from,
      to: to.endsWith('/') ? join(target, basename(from)) : target,
    }
  })
  const env = words('ENV').flat()
  return {
    env: Object.fromEntries(env.map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
    copies,
    command: JSON.parse(words('CMD')[0]?.join(' ') ?? '[]'),
  }
}

function makeWritable(folder: string, name: string, { uid, gid }: ReturnType<typeof serverUser>): void {
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, name))
  if (uid !== undefined) chownSync(join(folder, name), uid, gid)
  chmodSync(folder, 0o555)
}

/** Directories and files alike: programs among them stay executable. */
function chmodTree(folder: string, mode: number): void {
  chmodSync(folder, mode)
  for (const path of globSync('**/*', { cwd: folder })) chmodSync(join(folder, path), mode)
}
