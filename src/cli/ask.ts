import { createInterface } from 'node:readline/promises'
import type { Ask, Question } from '../migrate/decide/questions-to-people.ts'
import { howToAnswer, readTyped, shownQuestion } from './typed-answer.ts'

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

async function askUntilClear(
  question: Question,
  lineAfter: (text: string) => Promise<string>,
): Promise<string | null> {
  for (let hint = ''; ; hint = `${howToAnswer(question)}\n`) {
    const typed = readTyped(question, await lineAfter(`${hint}${shownQuestion(question)}`))
    if (typed === 'nothing' || typed === 'quit') return null
    if (typed !== 'unclear') return typed.answer
  }
}
