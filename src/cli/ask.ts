import { createInterface } from 'node:readline/promises'
import type { Ask } from '../store/schema/follow/open-decisions.ts'

/** Asks on the terminal; undefined where there is none. */
export const terminalAsk = (): Ask | undefined =>
  process.stdin.isTTY && process.stdout.isTTY ? ask : undefined

const ask: Ask = async ({ text, choices }) => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const lines = choices.map(({ says }, at) => `  ${at + 1}) ${says}`)
  try {
    for (;;) {
      const typed = await terminal.question(`${[text, ...lines].join('\n')}\n> `)
      if (choices.length === 0) return typed
      const chosen = choices[Number(typed) - 1] ?? choices.find(({ value }) => value === typed.trim())
      if (chosen) return chosen.value
    }
  } catch {
    // Ctrl-C or Ctrl-D.
    return null
  } finally {
    terminal.close()
  }
}
