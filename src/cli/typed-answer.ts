import type { Question } from '../migrate/decide/questions-to-people.ts'

/** What a person who was asked typed: an answer, that nothing shall change, that the command shall end, or none of these. */
export type TypedLine = { readonly answer: string } | 'nothing' | 'quit' | 'unclear'

/** The question as it is shown, with the answers that it takes. */
export const shownQuestion = ({ kind, text, choices, takesAnyText }: Question): string =>
  [
    text,
    ...choices.map(({ says }, at) => `  ${at + 1}) ${says}`),
    ...(kind === 'fill' ? [`Enter alone changes nothing, and q quits.${takesAnyText ? quotes : ''}`] : []),
  ].join('\n')

const quotes = ' Write "" for the empty text, and "q" for the letter.'

/**
 * Reads the line that was typed at a question. Quotes tell a value from a command: nobody who wants to leave changes rows with Enter or q, also
 * where a field or a value is called q.
 */
export function readTyped({ kind, choices }: Question, line: string): TypedLine {
  const typed = line.trim()
  if (typed.toLowerCase() === 'q') return 'quit'
  const chosen =
    choices[Number(typed) - 1] ?? choices.find(({ value }) => value === typed || value === unquoted(typed))
  if (chosen) return { answer: chosen.value }
  if (typed === '' && kind === 'fill') return 'nothing'
  return choices.length > 0 ? 'unclear' : { answer: unquoted(typed) }
}

/** What is said where the line was unclear. */
const howToAnswer = ({ choices }: Question): string =>
  `Answer with a number from 1 to ${choices.length}, or quit with q.`

/** Asks until what is typed is clear. Null where nothing shall change, and where there is no line any more. */
export async function askUntilClear(
  question: Question,
  lineAfter: (text: string) => Promise<string | null>,
  quit: () => void = () => {},
): Promise<string | null> {
  for (let hint = ''; ; hint = `${howToAnswer(question)}\n`) {
    const line = await lineAfter(`${hint}${shownQuestion(question)}`)
    const typed = line === null ? 'nothing' : readTyped(question, line)
    if (typed === 'quit') quit()
    if (typed === 'nothing' || typed === 'quit') return null
    if (typed !== 'unclear') return typed.answer
  }
}

/** `"two words"` without its quotes, read as JSON. */
function unquoted(typed: string): string {
  if (!/^".*"$/.test(typed)) return typed
  try {
    const value: unknown = JSON.parse(typed)
    return typeof value === 'string' ? value : typed
  } catch {
    return typed
  }
}
