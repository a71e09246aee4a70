import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CreateInFlight, KeysInFlight } from '../../src/write/keys/in-flight.ts'

test('creates in flight are found by account and key, and end once', async () => {
  const step = fc.tuple(fc.constantFrom('a', 'b', 'a b'), fc.constantFrom('k', 'l', 'k a', 'k a b'))
  await fc.assert(
    fc.asyncProperty(fc.array(step), async (steps) => {
      const inFlight = new KeysInFlight()
      const running = new Map<string, CreateInFlight>()
      for (const [account, key] of steps) {
        const name = JSON.stringify([account, key])
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
        const [account, key] = JSON.parse(name) as [string, string]
        expect(inFlight.find(account, key)).toBe(create)
      }
    }),
  )
})

test('a create whose insert of the key was rolled back does not have the key any more', () => {
  const create = new KeysInFlight().begin('a', 'k', 'f')
  create.claimed()
  expect(create.hasKey).toBe(true)
  create.released()
  expect(create.hasKey).toBe(false)
})
