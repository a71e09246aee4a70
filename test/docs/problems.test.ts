import { expect, test } from 'vitest'
import { type ProblemType, problemKinds } from '../../src/problems.ts'
import { tableBelow } from './markdown.ts'

const rowOf = (type: ProblemType): readonly string[] => {
  const { status, meaning, fix, uri } = problemKinds[type]
  return [String(status), uri ? `\`${type}\`, as \`${uri}\`` : `\`${type}\``, meaning, fix]
}

test('the table of problems is the one the service answers with', () => {
  const types = Object.keys(problemKinds) as ProblemType[]
  const expected = types.map(rowOf).sort(([a = '', b = ''], [c = '', d = '']) => (a + b < c + d ? -1 : 1))
  const shown = tableBelow('docs/reference/problems.md', '## All problems')
  const asText = (rows: readonly (readonly string[])[]) => rows.map((row) => `| ${row.join(' | ')} |`)
  expect(asText(shown)).toEqual(asText(expected))
})
