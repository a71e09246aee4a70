import type { Consumers } from '../../lifecycle/consumers.ts'
import type { CountedByDay } from '../../lifecycle/usage-rows.ts'

/** The calls of each of `days`, by a key that is made of what was counted. `consumer` is its name: several keys of one name are one consumer. */
export const callsByDay = (
  counted: readonly CountedByDay[],
  consumers: Consumers,
  days: readonly string[],
  keyOf: (one: CountedByDay) => string,
): ReadonlyMap<string, readonly number[]> => {
  const placeOf = new Map(days.map((day, at) => [day, at]))
  const found = new Map<string, number[]>()
  for (const one of counted) {
    const at = placeOf.get(one.day)
    if (at === undefined) continue
    const key = keyOf({ ...one, consumer: consumers.find(one.account, one.consumer).name })
    const calls = found.get(key) ?? days.map(() => 0)
    calls[at] = (calls[at] ?? 0) + one.calls
    found.set(key, calls)
  }
  return found
}
