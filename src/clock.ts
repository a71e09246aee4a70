import { SettingMistake } from './setting-mistake.ts'
import { dayMs, hourMs, minuteMs, secondMs } from './times.ts'

/** The service's time, in Unix milliseconds. Every time that is stored, shown or compared with a date comes from this clock. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: Date.now }

/** A clock that runs `milliseconds` ahead (or behind), for tests and demonstrations. */
const shiftedClock = (milliseconds: number): Clock =>
  milliseconds === 0 ? systemClock : { now: () => Date.now() + milliseconds }

const unitMilliseconds: { readonly [unit: string]: number } = {
  s: secondMs,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
}

/** `90d`, `+200d`, `-3h`, `10m`, `30s` in milliseconds, or null when the text has another form. */
export const readDuration = (text: string): number | null => {
  const match = /^([+-]?)(\d{1,9})([smhd])$/.exec(text.trim())
  if (!match) return null
  const size = Number(match[2]) * (unitMilliseconds[match[3] ?? ''] ?? 0)
  return match[1] === '-' ? -size : size
}

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
