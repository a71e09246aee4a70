import { nothingUsed, type Uses } from '../lifecycle/use.ts'
import type { Caller } from '../request/caller.ts'
import type { Target } from '../request/route.ts'

/** What became known of a request on its way; what was not reached stays empty. */
export interface Walk {
  target: Target | null
  caller: Caller | null
  /** Headers that the response carries however it ends. */
  readonly headers: { [name: string]: string }
  uses: Uses
}

export const newWalk = (): Walk => ({ target: null, caller: null, headers: {}, uses: nothingUsed })
