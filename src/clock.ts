import { SettingMistake } from './setting-mistake.ts'
import { readDuration } from './times.ts'

/** The service's time, in Unix milliseconds. Every time that is stored, shown or compared with a date comes from this clock. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: Date.now }

/** A clock that runs `milliseconds` ahead (or behind), for tests and demonstrations. */
const shiftedClock = (milliseconds: number): Clock =>
  milliseconds === 0 ? systemClock : { now: () => Date.now() + milliseconds }

/** The clock that `NOUNKIT_CLOCK` asks for. Never in production: a shifted clock sunsets versions and ages idempotency keys. */
export const clockFromEnvironment = (environment: NodeJS.ProcessEnv): Clock => {
  const shift = environment.NOUNKIT_CLOCK
  if (shift === undefined || shift === '') return systemClock
  if (environment.NODE_ENV === 'production') {
    throw new SettingMistake(
      'NOUNKIT_CLOCK is set, but NODE_ENV is production. Unset NOUNKIT_CLOCK; it is for tests only.',
    )
  }
  const milliseconds = readDuration(shift)
  if (milliseconds === null) {
    throw new SettingMistake(
      `NOUNKIT_CLOCK is "${shift}", which is not a duration. Write it like +200d, -3h, +10m or +30s.`,
    )
  }
  return shiftedClock(milliseconds)
}
