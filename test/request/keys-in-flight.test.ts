import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CreateInFlight, KeysInFlight } from '../../src/run/keys/in-flight.ts'

/** `Aa` and `BB` share a place, and so do all texts made of them in the same number. */
const keys = fc
  .array(fc.constantFrom('Aa', 'BB'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''))

test('creates in flight are found by account and key, those that share a place too, and end once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('a', 'b'), keys)), async (steps) => {
      const inFlight = new KeysInFlight()
      const running = new Map<string, CreateInFlight>()
      for (const [account, key] of steps) {
        const name = `${account} ${key}`
        const known = running.get(name)
        expect(inFlight.find(account, key)).toBe(known ?? null)
        if (!known) running.set(name, inFlight.begin(account, key, name))
        else {
          const ended = known.ended
          inFlight.end(known)
          running.delete(name)
          await ended
        }
      }
      for (const [name, create] of running) {
        const [account = '', key = ''] = name.split(' ')
        expect(inFlight.find(account, key)).toBe(create)
      }
    }),
  )
})
