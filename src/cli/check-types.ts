import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandMistake } from './command-mistake.ts'

/** What tsc reports. */
export class TypeMistakes extends CommandMistake {
  readonly output: string

  constructor(output: string) {
    super(`${output}\n\nThese are mistakes in types, as tsc reports them.`)
    this.output = output
  }
}

/**
 * Checks types as `tsc` does, where the folder of the API has a tsconfig.json and TypeScript is installed: names in the code of hooks can
 * be checked in no other way without running it.
 */
export async function checkTypes(folder: string, signal?: AbortSignal): Promise<void> {
  const config = join(folder, 'tsconfig.json')
  const tsc = existsSync(config) ? compilerOf(folder) : null
  if (tsc === null) return
  const { code, output } = await run([tsc, '--noEmit', '--pretty', 'false', '--project', config], signal)
  if (code !== 0) throw new TypeMistakes(shortened(output.trimEnd()))
}

/**
 * The output of tsc, in which a mistake that only `api(…)` can find is the sentence that its type has, instead of the types of whole
 * resources around it. See `declare/mistake.ts`.
 */
export const shortened = (output: string): string =>
  output
    .split(/\n(?=\S)/)
    .map((error) => {
      const [, sentence, names = 'never'] = /\bMistake<"((?:[^"\\]|\\.)+)", ([^>]+)>/.exec(error) ?? []
      if (sentence === undefined) return error
      const allowed = names === 'never' ? '' : `. There is ${names.replaceAll(' | ', ', ')}`
      return error.replace(/^(.+? error TS\d+: ).*$/s, (_, place: string) => `${place}${sentence}${allowed}.`)
    })
    .join('\n')

/** The compiler that the folder's own project has installed. */
function compilerOf(folder: string): string | null {
  try {
    const file = createRequire(join(folder, 'api.ts')).resolve('typescript/package.json')
    const { bin }: { readonly bin: { readonly tsc: string } } = JSON.parse(readFileSync(file, 'utf8'))
    return join(dirname(file), bin.tsc)
  } catch {
    return null
  }
}

function run(
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: Number.POSITIVE_INFINITY, ...(signal && { signal }) }
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error?.name === 'AbortError') reject(error)
      else resolve({ code: child.exitCode, output: stdout + stderr })
    })
    if (signal) yieldToOthers(child.pid)
  })
}

/** In the background, the compiler must not slow down what the user waits for. */
function yieldToOthers(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // The process has ended already, or the system does not allow it.
  }
}
