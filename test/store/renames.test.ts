import { expect, test } from 'vitest'
import { movesOf } from '../../src/migrate/plan/renames.ts'

test('a name moves where it is missing and an older one is there, the newest of them', () => {
  const wanted = [{ name: 'c', former: ['b', 'a'] }]
  expect(movesOf(wanted, ['a'])).toEqual([{ from: 'a', to: 'c' }])
  expect(movesOf(wanted, ['a', 'b'])).toEqual([{ from: 'b', to: 'c' }])
  expect(movesOf(wanted, ['a', 'b', 'c'])).toEqual([])
  expect(movesOf(wanted, [])).toEqual([])
})

test('names that follow each other move in an order in which each is free', () => {
  const wanted = [
    { name: 'b', former: ['a'] },
    { name: 'c', former: ['b'] },
  ]
  const moves = [
    { from: 'b', to: 'c' },
    { from: 'a', to: 'b' },
  ]
  expect(movesOf(wanted, ['a', 'b'])).toEqual(moves)
  expect(movesOf(wanted, ['a', 'c'])).toEqual(moves.slice(1))
  expect(movesOf(wanted, ['b', 'c'])).toEqual([])
})
