import { setTimeout as sleep } from 'node:timers/promises'

export type UntilOptions = { within?: number; every?: number; what?: string }

/** Polls until the condition gives something truthy and returns that; what it throws counts as "not yet". */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<NonNullable<T>> {
  const { within = 60_000, every = 25, what = 'the condition' } = options
  const deadline = performance.now() + within
  let lastError: unknown
  while (performance.now() < deadline) {
    try {
      const value = await condition()
      if (value) return value
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    await sleep(every)
  }
  throw new Error(`${what} did not hold within ${within} ms`, { cause: lastError })
}
