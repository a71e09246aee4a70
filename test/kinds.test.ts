import { globSync, readFileSync } from 'node:fs'
import { expect, expectTypeOf, test } from 'vitest'
import type { z } from 'zod'
import type { Choice, Ordered } from '../src/client/api-shape.ts'
import { changeKinds } from '../src/compile/change-kinds/change-kinds.ts'
import type { AnswerFilter } from '../src/declare/answers.ts'
import type { WhereOf } from '../src/declare/where.ts'
import * as declaring from '../src/index.ts'
import { kinds } from '../src/kinds/kinds.ts'
import { type OperatorName, operators } from '../src/kinds/operators.ts'

const source = new URL('../src', import.meta.url).pathname

/** The lines outside `kinds/` that ask which kind or operator something is, instead of asking the kind or the operator. */
const linesThatAsk = (variable: string, names: readonly string[]): readonly string[] =>
  linesWith(new RegExp(`\\b${variable} [!=]== '(?:${names.join('|')})'`))

const linesWith = (asks: RegExp): readonly string[] =>
  globSync('**/*.ts', { cwd: source })
    .filter((file) => !file.startsWith('kinds/'))
    .flatMap((file) =>
      readFileSync(`${source}/${file}`, 'utf8')
        .split('\n')
        .filter((line) => asks.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )

test('a field kind answers for itself: no other module compares its name', () => {
  expect(linesThatAsk('kind', Object.keys(kinds))).toEqual([])
})

test('a filter operator answers for itself: no other module compares its name', () => {
  const withoutDefault = Object.keys(operators).filter((name) => name !== 'eq')
  expect(linesThatAsk('operator', withoutDefault)).toEqual([])
  expect(linesWith(/\]\.includes\(operator\)|\[operator as /)).toEqual([])
})

test('types name every operator: those of the client, of hooks, and of code that answers for a noun', () => {
  type Named<Condition> = keyof Extract<NonNullable<Condition>, object>
  expectTypeOf<Named<Ordered<number>>>().toEqualTypeOf<OperatorName>()
  expectTypeOf<Named<Choice<boolean>>>().toExtend<OperatorName>()
  expectTypeOf<Exclude<Named<WhereOf<{ size: number }>['size']>, 'null'>>().toEqualTypeOf<OperatorName>()
  expectTypeOf<
    Named<AnswerFilter<{ size: z.ZodNumber }, object, 'size'>['size']>
  >().toEqualTypeOf<OperatorName>()
})

test('a change kind answers for itself: elsewhere only renames are looked up by their name', () => {
  const others = Object.keys(changeKinds).filter((name) => !name.startsWith('rename-'))
  expect(linesWith(new RegExp(`(?:kind [!=]==|change [!=]==|case) '(?:${others.join('|')})'`))).toEqual([])
})

test('every kind of change can be declared: the package exports its builder', () => {
  const builders = Object.keys(changeKinds).map((kind) =>
    kind.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
  )
  expect(builders.filter((name) => !Object.hasOwn(declaring, name))).toEqual([])
})
