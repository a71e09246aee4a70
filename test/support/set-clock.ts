import type { Clock } from '../../src/clock.ts'

/** A clock that stands still until it is set. */
export interface SetClock extends Clock {
  set(time: string | number): void
  pass(milliseconds: number): void
}

export function setClock(time: string): SetClock {
  let at = Date.parse(time)
  return {
    now: () => at,
    set: (other) => {
      at = typeof other === 'string' ? Date.parse(other) : other
    },
    pass: (milliseconds) => {
      at += milliseconds
    },
  }
}
