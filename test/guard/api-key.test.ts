import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  hashApiKey,
  looksLikeApiKey,
  makeApiKey,
  makeApiKeyFor,
  typoInApiKey,
} from '../../src/guard/api-key.ts'
import { hashText } from '../../src/store/postgres/hash-text.ts'

test('a key has a prefix that scanners find, and 190 random bits', () => {
  const { secret, hash } = makeApiKey()
  expect(secret).toMatch(/^nk_[0-9A-Za-z]{38}$/)
  expect(looksLikeApiKey(secret)).toBe(true)
  expect(hash).toBe(hashApiKey(secret))
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
})

test('a thousand keys are all different, and all of their characters are used', () => {
  const keys = Array.from({ length: 1_000 }, () => makeApiKey().secret)
  expect(new Set(keys).size).toBe(1_000)
  expect(new Set(keys.join('').replaceAll('nk_', '')).size).toBe(62)
})

test('of 128 equal ranges of hashes, by which a cluster places rows, a key is in the one of its account', () => {
  const range = (text: string) => Math.floor((hashText(text) + 2 ** 31) / (2 ** 32 / 128))
  for (const account of ['acme', 'globex', 'zoë'])
    expect(range(makeApiKeyFor(account).hash)).toBe(range(account))
})

test('every single wrong character, swap and cut is reported as a typo, without a look-up', () => {
  const { secret } = makeApiKey()
  expect(typoInApiKey(secret)).toBe(null)
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 40 }), fc.constantFrom(...'0aZ-_é'), (at, wrong) => {
      fc.pre(secret[at] !== wrong)
      expect(typoInApiKey(secret.slice(0, at) + wrong + secret.slice(at + 1))).toMatch(/checksum/)
    }),
  )
  expect(typoInApiKey(secret.slice(0, -1))).toMatch(/41 characters, this one has 40/)
  expect(typoInApiKey(`${secret} `)).toMatch(/has 42/)
})
