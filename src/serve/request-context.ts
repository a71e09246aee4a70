import type { RateSignals } from '../guard/rate.ts'
import { nothingUsed, type Uses } from '../lifecycle/use.ts'
import type { Caller } from '../request/caller.ts'
import type { Target } from '../request/route.ts'

/** What became known of a request on its way; what was not reached stays empty. */
export interface RequestContext {
  target: Target | null
  caller: Caller | null
  /** What the response says of the caller's rate, however it ends. */
  rate: RateSignals | null
  uses: Uses
}

export const newContext = (): RequestContext => ({
  target: null,
  caller: null,
  rate: null,
  uses: nothingUsed,
})
