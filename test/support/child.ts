import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { whenOver } from './clean-up.ts'
import type { ServerUser } from './postgres-binaries.ts'
import { until } from './until.ts'
import { watch } from './watchdog.ts'

export type ChildOptions = {
  cwd?: string
  env?: Record<string, string | undefined>
  input?: string
  /** A program with its first arguments that runs the command and becomes it, such as `largestFile`. */
  under?: readonly string[]
  /** The user that the process runs as; only root can give another. */
  user?: ServerUser
}
export type Ending = { code: number | null; signal: NodeJS.Signals | null }

export type Child = {
  readonly pid: number
  readonly stdout: string
  readonly stderr: string
  /** Standard output and standard error as they came. */
  readonly output: string
  readonly ended: Promise<Ending>
  /** Waits for a line of output; throws with all the output when the process ends first. */
  line(pattern: RegExp, within?: number): Promise<RegExpMatchArray>
  /** Sends the signal and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<Ending>
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** `nounkit …` as a user of the checkout would run it. The condition is the one that bin/nounkit.js would start a second Node for. */
export function nounkit(args: string[], options: ChildOptions = {}): Child {
  return start(
    process.execPath,
    ['--conditions=nounkit-source', join(root, 'bin/nounkit.js'), ...args],
    options,
  )
}

/** Any program, as it is. */
export function program(path: string, args: string[], options: ChildOptions = {}): Child {
  return start(path, args, options)
}

/** Runs a line in a shell, as a person would type it. */
export function shell(line: string, options: ChildOptions = {}): Child {
  return start('/bin/sh', ['-c', line], options)
}

/** A script on the Node that runs the tests, with `nounkit` resolved to the sources. */
export function nodeScript(script: string, args: string[] = [], options: ChildOptions = {}): Child {
  return start(process.execPath, ['--conditions=nounkit-source', script, ...args], options)
}

/** Ended at the latest when the test that started it ends, or the file when a hook started it. */
function start(program: string, given: string[], options: ChildOptions): Child {
  const [command = program, ...args] = [...(options.under ?? []), program, ...given]
  const spawned = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { ...environment(), ...options.env },
    ...options.user,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const child = follow(spawned, `${command} ${args.join(' ')}`)
  spawned.stdin.on('error', () => {})
  spawned.stdin.end(options.input ?? '')
  whenOver(() => child.kill('SIGKILL'))
  return child
}

function follow(spawned: ChildProcess, commandLine: string): Child {
  const text = { stdout: '', stderr: '', output: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    spawned[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
      text.output += chunk
    })
  }
  const unwatch = watchChild(spawned)
  // 'close', not 'exit': only then has all the output arrived.
  const ended = once(spawned, 'close').then(([code, signal]): Ending => {
    unwatch()
    return { code, signal }
  })
  ended.catch(unwatch)
  let over = false
  ended
    .catch(() => {})
    .finally(() => {
      over = true
    })
  return {
    pid: spawned.pid ?? 0,
    get stdout() {
      return text.stdout
    },
    get stderr() {
      return text.stderr
    },
    get output() {
      return text.output
    },
    ended,
    async line(pattern, within = 120_000) {
      const perLine = new RegExp(
        pattern.source,
        pattern.flags.includes('m') ? pattern.flags : `${pattern.flags}m`,
      )
      await until(() => over || perLine.test(text.output), {
        within,
        what: `${commandLine} printing ${pattern}`,
      }).catch((error: Error) => {
        throw new Error(`${error.message}. It printed:\n${text.output}`)
      })
      const match = text.output.match(perLine)
      if (!match)
        throw new Error(`${commandLine} ended before it printed ${pattern}. It printed:\n${text.output}`)
      return match
    },
    async kill(signal = 'SIGTERM') {
      if (!over) spawned.kill(signal)
      return ended
    },
  }
}

function watchChild(spawned: ChildProcess): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'nounkit-child-'))
  const pidFile = join(folder, 'pid')
  writeFileSync(pidFile, String(spawned.pid ?? ''))
  const unwatch = watch(pidFile, folder)
  return () => {
    unwatch()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The folder that `nounkit` of a checkout uses. A script that loads the engine takes a third of the processor time with it. */
const compileCache = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/nounkit') }

/** Variables that the test runner and npm set for themselves would change how a child process behaves. */
function environment(): NodeJS.ProcessEnv {
  const dropped =
    /^(npm_|VITEST|NODE_ENV$|NODE_OPTIONS$|NOUNKIT_|DATABASE_URL$|PORT$|HOST$|TEST$|DEV$|PROD$|MODE$|SSR$|BASE_URL$)/
  const kept = Object.entries(process.env).filter(([name]) => !dropped.test(name))
  return { ...Object.fromEntries(kept), ...compileCache }
}
