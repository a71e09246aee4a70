import { type ChildOptions, nounkit } from '../support/child.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command to its end. */
export async function run(args: readonly string[], options: ChildOptions = {}): Promise<Ran> {
  const child = nounkit([...args], options)
  const { code } = await child.ended
  return { code, stdout: child.stdout, stderr: child.stderr }
}

/** Ends with 1, or with 2 where the command line itself is wrong, says what on standard error, and shows no stack. */
export const isMistake = ({ code, stdout, stderr }: Ran): boolean =>
  (code === 1 || code === 2) && stdout === '' && stderr !== '' && !/^\s+at /m.test(stderr)
