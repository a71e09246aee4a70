import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kinds } from '../src/kinds/kinds.ts'
import { operators } from '../src/kinds/operators.ts'

const source = new URL('../src', import.meta.url).pathname

/** The lines outside `kinds/` that ask which kind or operator something is, instead of asking the kind or the operator. */
const linesThatAsk = (variable: string, names: readonly string[]): readonly string[] => {
  const asks = new RegExp(`\\b${variable} [!=]== '(?:${names.join('|')})'`)
  return globSync('**/*.ts', { cwd: source })
    .filter((file) => !file.startsWith('kinds/'))
    .flatMap((file) =>
      readFileSync(`${source}/${file}`, 'utf8')
        .split('\n')
        .filter((line) => asks.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
}

test('a field kind answers for itself: nobody else asks for its name', () => {
  expect(linesThatAsk('kind', Object.keys(kinds))).toEqual([])
})

test('a filter operator answers for itself: nobody else asks for its name', () => {
  const withoutDefault = Object.keys(operators).filter((name) => name !== 'eq')
  expect(linesThatAsk('operator', withoutDefault)).toEqual([])
})
