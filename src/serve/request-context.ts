import type { Caller } from '../call/caller.ts'
import type { Target } from '../call/target.ts'
import type { RateSignals } from '../guard/rate.ts'
import { nothingUsed, type Uses } from '../lifecycle/use.ts'

/** What is known about a request so far. Stages that were not reached leave their part empty. */
export interface RequestContext {
  target: Target | null
  caller: Caller | null
  /** The rate limit headers, which refusals carry too. */
  rate: RateSignals | null
  uses: Uses
}

export const newContext = (): RequestContext => ({
  target: null,
  caller: null,
  rate: null,
  uses: nothingUsed,
})
