import { vi } from 'vitest'
import { exportCommand } from '../../src/cli/export-command.ts'

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command within the test's process, which costs less than a process of its own. Commands run one after the other. */
export async function runHere(
  command: (args: string[]) => Promise<number>,
  databaseUrl: string,
  args: readonly string[],
): Promise<Said> {
  vi.stubEnv('DATABASE_URL', databaseUrl)
  const said = { out: '', err: '' }
  const into = (name: 'out' | 'err') => (line: unknown) => {
    said[name] += `${line}
`
  }
  const log = vi.spyOn(console, 'log').mockImplementation(into('out'))
  const error = vi.spyOn(console, 'error').mockImplementation(into('err'))
  try {
    const code = await command([...args])
    return { code, ...said }
  } finally {
    log.mockRestore()
    error.mockRestore()
    vi.unstubAllEnvs()
  }
}

/** What `nounkit export` writes. */
export async function exported(databaseUrl: string, args: readonly string[]): Promise<string> {
  let text = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk, ...rest) => {
    text += chunk
    const done = rest.find((one) => typeof one === 'function')
    done?.()
    return true
  })
  try {
    await runHere(exportCommand, databaseUrl, args)
  } finally {
    write.mockRestore()
  }
  return text
}
