import { createInterface } from 'node:readline/promises'
import type { Ask } from '../migrate/decide/questions-to-people.ts'
import { askUntilClear } from './typed-answer.ts'

/** Asks on the terminal; undefined where there is none. */
export const terminalAsk = (): Ask | undefined =>
  process.stdin.isTTY && process.stdout.isTTY ? ask : undefined

const ask: Ask = async (question) => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await askUntilClear(question, (text) => terminal.question(`${text}\n> `))
  } catch {
    // Ctrl-C or Ctrl-D.
    return null
  } finally {
    terminal.close()
  }
}
