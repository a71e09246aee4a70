import { format } from 'node:util'
import { vi } from 'vitest'
import { runCommand } from '../../src/cli/run-command.ts'
import type { Ran } from './run.ts'

interface HereOptions {
  readonly env?: { readonly [name: string]: string | undefined }
  readonly cwd?: string
}

/** The console, the environment and the working directory belong to the process, so commands wait for each other. */
let before: Promise<unknown> = Promise.resolve()

/**
 * A command to its end, within the test's process, which costs less than a process of its own. A declaration is loaded once: a test that
 * changes the files of one between two commands needs `run`.
 */
export function runHere(args: readonly string[], options: HereOptions = {}): Promise<Ran> {
  const ran = before.then(() => runNow(args, options))
  before = ran.catch(() => {})
  return ran
}

async function runNow(args: readonly string[], { env = {}, cwd }: HereOptions): Promise<Ran> {
  const said = { stdout: '', stderr: '' }
  const into =
    (name: keyof typeof said) =>
    (...line: readonly unknown[]) => {
      said[name] += `${format(...line)}\n`
    }
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(into('stdout')),
    vi.spyOn(console, 'error').mockImplementation(into('stderr')),
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk, ...rest) => {
      said.stdout += chunk
      rest.find((one) => typeof one === 'function')?.()
      return true
    }),
  ]
  const home = process.cwd()
  for (const [name, value] of Object.entries({ ...unset, ...env })) vi.stubEnv(name, value)
  try {
    if (cwd !== undefined) process.chdir(cwd)
    const code = await runCommand(args)
    return { code, ...said }
  } finally {
    process.chdir(home)
    vi.unstubAllEnvs()
    for (const spy of spies) spy.mockRestore()
  }
}

/** As in a process that `run` starts. What starts the tests may ask for colours. */
const unset = {
  DATABASE_URL: undefined,
  FORCE_COLOR: undefined,
  HOST: undefined,
  NO_COLOR: undefined,
  PORT: undefined,
}
