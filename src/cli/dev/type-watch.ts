import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { checkTypes, TypeMistakes } from '../check-types.ts'
import { declarationFiles } from '../load.ts'
import { codeFrame } from '../mistake-places/code-frame.ts'

/** Beyond this many mistakes, the others are only counted. */
const shownMost = 10
/** Lines of one mistake: what follows them repeats whole types. */
const linesMost = 4

/**
 * Checks the types of the project in the background, with its own TypeScript, after each reload. Node runs a declaration without looking at
 * types, so mistakes in the code of hooks would otherwise be found when the hook runs. Says nothing where a project has no tsconfig.json or
 * no TypeScript.
 */
export class TypeWatch {
  readonly #folder: string
  readonly #say: (text: string) => void
  #running = new AbortController()
  #hadMistakes = false

  constructor(place: string, say: (text: string) => void) {
    this.#folder = dirname(declarationFiles(place).contracts)
    this.#say = say
  }

  /** Starts over where an earlier check has not ended. */
  check(): void {
    this.stop()
    this.#running = new AbortController()
    void this.#run(this.#running.signal)
  }

  stop(): void {
    this.#running.abort()
  }

  async #run(signal: AbortSignal): Promise<void> {
    const output = await outputOf(this.#folder, signal)
    if (signal.aborted) return
    if (output !== null) this.#say(typesText(output))
    else if (this.#hadMistakes) this.#say('The types are right again.')
    this.#hadMistakes = output !== null
  }
}

/** What tsc says is wrong; null for nothing. */
async function outputOf(folder: string, signal: AbortSignal): Promise<string | null> {
  try {
    await checkTypes(folder, signal)
    return null
  } catch (error) {
    if (error instanceof TypeMistakes) return error.output
    if (signal.aborted) return null
    return String(error)
  }
}

/** The mistakes as `nounkit dev` shows those of a declaration: with their places, and with the code there. */
function typesText(output: string): string {
  const mistakes = output.split(/\n(?=\S)/)
  const shown = mistakes.slice(0, shownMost).map(mistakeText)
  const more = mistakes.length - shownMost
  return [
    'The API answers, but its types have mistakes:',
    ...shown,
    ...(more > 0 ? [`And ${more} more. npx tsc --noEmit lists all.`] : []),
  ].join('\n\n')
}

/** `api.ts(6,58): error TS2353: …`, with further lines that are indented. */
function mistakeText(text: string): string {
  const [, file = '', line, column, message = ''] =
    /^(.+?)\((\d+),(\d+)\): error TS\d+: (.*)$/s.exec(text) ?? []
  if (file === '') return text
  const lines = message.split('\n')
  const position = { line: Number(line), column: Number(column) }
  const cut = lines.length > linesMost ? ['  …'] : []
  return [
    `${relative(process.cwd(), resolve(file))}:${line}:${column}  ${lines[0]}`,
    ...lines.slice(1, linesMost),
    ...cut,
    ...frameOf(file, position),
  ].join('\n')
}

function frameOf(file: string, position: { readonly line: number; readonly column: number }): string[] {
  try {
    return [codeFrame(readFileSync(file, 'utf8'), position)]
  } catch {
    // A file that was deleted since then has no code to show.
    return []
  }
}
