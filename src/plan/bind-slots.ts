import type { Caller } from '../call/caller.ts'
import { callerValue } from '../call/caller-value.ts'
import type { BoundValue } from './bind.ts'
import type { Slot } from './statement.ts'

/** What a statement is given. */
export interface Bindings {
  readonly account: string
  /** Who asks, and when, for statements that apply rules. */
  readonly asked?: { readonly by: Caller; readonly at: number }
  readonly id?: string | null
  readonly owner?: string | null
  readonly limit?: number
  readonly values?: readonly BoundValue[]
}

/** The values of a statement, in the order in which it binds them. */
export function bindSlots(slots: readonly Slot[], from: Bindings): BoundValue[] {
  const bound: BoundValue[] = new Array(slots.length)
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as Slot
    if (typeof slot === 'number') {
      const value = from.values?.[slot]
      if (value === undefined) throw new Error('a statement is given too few values')
      bound[at] = value
    } else if (typeof slot === 'string') bound[at] = from[slot] ?? null
    else if (from.asked) bound[at] = callerValue(slot, from.asked.by, from.asked.at)
    else throw new Error('a statement with a rule runs without a caller')
  }
  return bound
}
