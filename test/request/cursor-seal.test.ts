import { createHmac } from 'node:crypto'
import { array, assert, constantFrom, integer, oneof, property, string, uuid } from 'fast-check'
import { expect, test } from 'vitest'
import { createCursorSeal } from '../../src/request/cursor.ts'

const secret = 'a-secret-of-this-test'
const keys = array(oneof(uuid(), string(), integer()), { minLength: 1, maxLength: 3 })
const bound = constantFrom('4 acme v1/orders', '4 acme v2/orders', '5 other v2/orders')

test('a cursor opens where it was made and nowhere else', () => {
  const seal = createCursorSeal(secret)
  assert(
    property(keys, bound, bound, (position, here, elsewhere) => {
      const text = JSON.stringify(position)
      const cursor = seal.seal(text, here)
      expect(seal.seal(text, here)).toBe(cursor)
      for (let times = 0; times < 2; times++)
        expect(seal.open(cursor, here, position.length)).toEqual(position)
      if (elsewhere === here) return
      expect(() => seal.open(cursor, elsewhere, position.length)).toThrow('cursor')
      expect(seal.seal(text, elsewhere)).not.toBe(cursor)
    }),
    { numRuns: 2_000 },
  )
})

test('a cursor that was altered is refused', () => {
  const seal = createCursorSeal(secret)
  const cursor = seal.seal('["01900000-0000-7000-8000-000000000000"]', 'here')
  for (let at = 0; at < cursor.length; at++) {
    const altered = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
    expect(() => seal.open(altered, 'here', 1)).toThrow('cursor')
  }
  expect(() => seal.open(`${cursor}A`, 'here', 1)).toThrow('cursor')
  expect(() => seal.open(cursor.slice(0, -1), 'here', 1)).toThrow('cursor')
  expect(seal.open(cursor, 'here', 1)).toEqual(['01900000-0000-7000-8000-000000000000'])
})

test('another process with the same secret makes the same cursors, and opens them', () => {
  const cursor = createCursorSeal(secret).seal('["a",1]', 'here')
  const other = createCursorSeal(secret)
  expect(other.open(cursor, 'here', 2)).toEqual(['a', 1])
  expect(other.open(cursor, 'here', 2)).toEqual(['a', 1])
  expect(other.seal('["a",1]', 'here')).toBe(cursor)
  expect(() => createCursorSeal('another').open(cursor, 'here', 2)).toThrow('cursor')
})

test('a cursor of a long text opens like any other', () => {
  const seal = createCursorSeal(secret)
  const position = JSON.stringify(['long '.repeat(1_000), 'id'])
  expect(seal.open(seal.seal(position, 'here'), 'here', 2)).toEqual(JSON.parse(position))
})

test('a cursor of another number of keys is refused', () => {
  const cursor = createCursorSeal(secret).seal('["a",1]', 'here')
  const seal = createCursorSeal(secret)
  for (let times = 0; times < 2; times++) expect(() => seal.open(cursor, 'here', 1)).toThrow('cursor')
})

test('the seal is HMAC-SHA-256, so that cursors of earlier releases still open', () => {
  const mac = createHmac('sha256', secret).update('here\0["a",1]').digest('base64url').slice(0, 22)
  expect(createCursorSeal(secret).seal('["a",1]', 'here')).toBe(
    mac + Buffer.from('["a",1]').toString('base64url'),
  )
})
