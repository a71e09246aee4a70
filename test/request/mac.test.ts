import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMac } from '../../src/request/mac.ts'

test('the seal is HMAC-SHA-256, whatever the length of secret and text', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(text, text, (secret, message) => {
      const expected = createHmac('sha256', secret).update(message).digest('latin1')
      expect(createMac(secret)(message)).toBe(expected)
    }),
  )
})
