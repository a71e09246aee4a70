import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Terminal } from '../../src/cli/dev/terminal.ts'
import { readTyped, shownQuestion } from '../../src/cli/typed-answer.ts'

const value = {
  kind: 'fill',
  text: 'orders.note is required. Which value?',
  choices: [],
  takesAnyText: true,
} as const
const choice = {
  kind: 'loss',
  text: 'Do it all the same?',
  choices: [
    { value: 'yes', says: 'yes, lose it' },
    { value: 'no', says: 'no, change nothing' },
  ],
} as const

test('at a question for a value, Enter and q are no values, and quotes make them some', () => {
  expect(shownQuestion(value)).toBe(
    'orders.note is required. Which value?\nEnter alone changes nothing, and q quits. Write "" for the empty text, and "q" for the letter.',
  )
  const read = (line: string) => readTyped(value, line)
  expect([read(''), read('  '), read('q'), read(' Q ')]).toEqual(['nothing', 'nothing', 'quit', 'quit'])
  const answers = {
    '""': '',
    '"q"': 'q',
    '" a "': ' a ',
    '"say \\"no\\""': 'say "no"',
    ' none ': 'none',
    '"a" or "b"': '"a" or "b"',
    '"': '"',
    '5': '5',
  }
  for (const [line, answer] of Object.entries(answers)) expect(read(line)).toEqual({ answer })
})

test('at a question with choices, only a number, a choice or q is read', () => {
  const read = (line: string) => readTyped(choice, line)
  expect([read('1'), read('no'), read('q'), read(''), read('3'), read('""')]).toEqual([
    { answer: 'yes' },
    { answer: 'no' },
    'quit',
    'unclear',
    'unclear',
    'unclear',
  ])
  const named = { ...choice, choices: [{ value: 'q', says: 'renamed to tasks.q' }] }
  expect(['q', 'Q', '"q"', '1'].map((line) => readTyped(named, line))).toEqual([
    'quit',
    'quit',
    { answer: 'q' },
    { answer: 'q' },
  ])
})

test('a question for a number or a listed value says nothing of quotes, and Enter alone changes nothing', () => {
  expect(shownQuestion({ kind: 'fill', text: 'Which value?', choices: [] })).toBe(
    'Which value?\nEnter alone changes nothing, and q quits.',
  )
  const state = { kind: 'fill', text: 'Which value?', choices: [{ value: 'lent', says: 'lent' }] } as const
  expect(shownQuestion(state)).toBe('Which value?\n  1) lent\nEnter alone changes nothing, and q quits.')
  const read = (line: string) => readTyped(state, line)
  expect([read('1'), read('lent'), read(''), read('out')]).toEqual([
    { answer: 'lent' },
    { answer: 'lent' },
    'nothing',
    'unclear',
  ])
})

test('nounkit dev quits with q at a question for a value, and goes on after Enter', async () => {
  const input = new PassThrough()
  const [said, ran]: [string[], string[]] = [[], []]
  const terminal = new Terminal(input, (text) => said.push(text))
  terminal.obey([{ letter: 'q', does: 'quits', run: () => ran.push('q') }])
  const answerTo = (line: string) => {
    const answer = terminal.ask(value, new Promise(() => {}))
    input.write(`${line}\n`)
    return answer
  }
  expect([await answerTo(''), ran]).toEqual([null, []])
  expect([await answerTo('"q"'), ran]).toEqual(['q', []])
  expect([await answerTo('q'), ran]).toEqual([null, ['q']])
  expect(said).toEqual(Array(3).fill(shownQuestion(value)))
})
