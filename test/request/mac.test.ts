import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMac } from '../../src/request/mac.ts'

const secrets = fc.string({ unit: 'binary-ascii', maxLength: 64 })

test('the seal is HMAC-SHA-256, whatever the length of the text', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 3_000 })
  fc.assert(
    fc.property(secrets, texts, (secret, text) => {
      const expected = createHmac('sha256', secret).update(text).digest('base64url')
      expect(createMac(secret)(text)).toBe(expected)
    }),
  )
})

test('a secret that its padding would not leave ASCII, or that is longer than a block, is refused', () => {
  expect(() => createMac('é')).toThrow('ASCII')
  expect(() => createMac('a'.repeat(65))).toThrow('64')
})
