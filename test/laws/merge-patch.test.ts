import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergePatch } from '../../src/request/merge-patch.ts'

/** The table of RFC 7396, appendix A: target, patch, result. */
const appendixA: readonly [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

test.each(appendixA)('%j patched with %j is %j', (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result)
})

const json = fc.jsonValue({ maxDepth: 3 })
const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

test('a key that means something to JavaScript is a key like any other', () => {
  const text = '{"__proto__":{"a":1},"constructor":{"b":2}}'
  expect(JSON.stringify(mergePatch({}, JSON.parse(text)))).toBe(text)
  expect(JSON.stringify(mergePatch(JSON.parse(text), JSON.parse('{"__proto__":null}')))).toBe(
    '{"constructor":{"b":2}}',
  )
})

test('applied twice it equals once', () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const once = mergePatch(target, patch)
      expect(mergePatch(once, patch)).toEqual(once)
    }),
  )
})

test('it changes neither of its arguments', () => {
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const before = JSON.stringify([target, patch])
      mergePatch(target, patch)
      expect(JSON.stringify([target, patch])).toBe(before)
    }),
  )
})

test('keys it does not name stay, keys it nulls go, keys it sets are set', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), fc.dictionary(fc.string(), json), (target, patch) => {
      const result = mergePatch(target, patch)
      if (!isObject(result)) throw new Error('an object patched with an object is an object')
      for (const key of Object.keys(target))
        if (!Object.hasOwn(patch, key)) expect(result[key]).toEqual(target[key])
      for (const [key, value] of Object.entries(patch)) {
        expect(Object.hasOwn(result, key)).toBe(value !== null)
        if (value !== null && !isObject(value)) expect(result[key]).toEqual(value)
      }
    }),
  )
})

test('the patch that leads from one object without nulls to another can always be written', () => {
  const noNulls = (value: unknown): boolean =>
    value !== null && (!isObject(value) || Object.values(value).every(noNulls))
  const object = fc.dictionary(fc.string(), json).filter(noNulls)
  const difference = (from: { [key: string]: unknown }, to: { [key: string]: unknown }) => ({
    ...Object.fromEntries(Object.keys(from).map((key) => [key, null])),
    ...Object.fromEntries(
      Object.entries(to).map(([key, value]): [string, unknown] => [
        key,
        isObject(value) && isObject(from[key]) ? difference(from[key], value) : value,
      ]),
    ),
  })
  fc.assert(
    fc.property(object, object, (from, to) => {
      expect(mergePatch(from, difference(from, to))).toEqual(to)
    }),
  )
})
