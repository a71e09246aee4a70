import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalBody } from '../../src/write/idempotency.ts'

/** Writes a JSON value in one of the many ways it can be written. */
function written(value: unknown, random: () => number): string {
  const blank = () => [' ', '', '\n', '\t '][Math.floor(random() * 4)] ?? ''
  const spaced = (parts: readonly string[]) => parts.map((part) => `${blank()}${part}${blank()}`).join(',')
  if (typeof value === 'string') return writtenText(value, random)
  if (typeof value === 'number') return writtenNumber(value, random)
  if (Array.isArray(value)) return `[${spaced(value.map((item) => written(item, random)))}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
  entries.sort(() => random() - 0.5)
  return `{${spaced(entries.map(([key, inner]) => `${writtenText(key, random)}${blank()}:${blank()}${written(inner, random)}`))}}`
}

const writtenText = (text: string, random: () => number): string => {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  const escaped = units.map((unit) => {
    const plain = unit >= 32 && unit !== 34 && unit !== 92 && (unit < 0xd800 || unit > 0xdfff)
    return plain && random() < 0.7 ? String.fromCharCode(unit) : `\\u${unit.toString(16).padStart(4, '0')}`
  })
  return `"${escaped.join('')}"`
}

const writtenNumber = (value: number, random: () => number): string => {
  const forms = [JSON.stringify(value), value.toExponential()]
  if (Number.isInteger(value) && Math.abs(value) < 1e15) forms.push(`${value}.0`, `${value}0e-1`)
  return forms[Math.floor(random() * forms.length)] ?? ''
}

const json = fc.jsonValue({ maxDepth: 3 })

test('however a body is written, its canonical form is one', () => {
  fc.assert(
    fc.property(json, fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (value, stream) => {
      const text = written(value, () => stream.next().value ?? 0)
      expect(canonicalBody(JSON.parse(text))).toBe(canonicalBody(value))
    }),
    { numRuns: 300 },
  )
})

/** How it is defined: keys in order on every level. Fingerprints of earlier processes are kept by it. */
function defined(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(defined).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Object.keys(value).sort()
  const inner = value as { readonly [key: string]: unknown }
  return `{${parts.map((key) => `${JSON.stringify(key)}:${defined(inner[key])}`).join(',')}}`
}

test('it is the value with its keys in order, whatever they are', () => {
  const keys = fc.oneof(
    fc.string(),
    fc.constantFrom('10', '9', '-1', '01', '1e3', '__proto__', 'constructor', ''),
  )
  const texts = fc
    .dictionary(keys, fc.oneof(json, fc.string(), fc.integer()))
    .map((object) => JSON.stringify(object))
  fc.assert(
    fc.property(texts, (text) => {
      expect(canonicalBody(JSON.parse(text))).toBe(defined(JSON.parse(text)))
    }),
    { numRuns: 500 },
  )
  const odd = JSON.parse('{"b":1,"__proto__":2,"10":3,"9":4,"a":5}')
  expect(canonicalBody(odd)).toBe('{"10":3,"9":4,"__proto__":2,"a":5,"b":1}')
})

test('bodies that differ in value differ in canonical form', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      const same = canonicalBody(one) === canonicalBody(other)
      expect(same).toBe(canonicalBody(JSON.parse(canonicalBody(one))) === canonicalBody(other))
      if (same) expect(sorted(one)).toEqual(sorted(other))
    }),
    { numRuns: 300 },
  )
  expect(canonicalBody({ a: null })).not.toBe(canonicalBody({}))
  expect(canonicalBody({ a: 1 })).not.toBe(canonicalBody({ a: '1' }))
  for (const huge of ['1e400', '-1e400']) {
    expect(canonicalBody(JSON.parse(`{"a":${huge}}`))).not.toBe(canonicalBody({ a: null }))
    expect(canonicalBody(JSON.parse(`[${huge}]`))).not.toBe(canonicalBody([null]))
  }
  expect(canonicalBody([1, 2])).not.toBe(canonicalBody([2, 1]))
  expect(canonicalBody({ a: -0 })).toBe(canonicalBody({ a: 0 }))
})

/** JSON has one zero. */
const sorted = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('the canonical form is JSON of the same value', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(canonicalBody(value))).toEqual(sorted(value))
    }),
    { numRuns: 300 },
  )
})
