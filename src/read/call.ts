import type { Resource } from '../compile/model.ts'
import type { Planner } from '../plan/planner.ts'
import type { Slot } from '../plan/statement.ts'
import type { Caller } from '../request/caller.ts'
import { callerValue } from '../request/caller-value.ts'
import type { CursorSeal } from '../request/cursor.ts'
import type { LiveBody } from '../request/exchange.ts'
import type { Included } from '../request/include.ts'
import type { Target } from '../request/route.ts'
import type { Store, Value } from '../store/store.ts'

/** What every read needs, made once per service. */
export interface Reader {
  readonly store: Pick<Store, 'first'>
  readonly planner: Pick<Planner, 'one' | 'list' | 'dialect'>
  readonly seal: CursorSeal
  readonly answers: AnswerFiller
  /** Called where a search finds rows of an account that are not in its index. */
  readonly indexRows: (resource: Resource, account: string) => void
  /** Milliseconds since 1970; shifted in demonstrations and tests. */
  now(): number
}

/** A row that lacks what it includes of a noun that code answers for. */
export interface LackingIncluded {
  readonly included: Included
  /** As it is shown; the member with the name of the relation is still to be set. */
  readonly row: { [member: string]: unknown }
  /** The id of the included row, or of the row that is named by the included ones; null where it names none. */
  readonly id: string | null
}

/** Asks the code of nouns for the rows that others include. It is above this folder, which only tells what is lacking. */
export interface AnswerFiller {
  fill(call: Call, lacking: readonly LackingIncluded[]): Promise<void>
}

/** For what reads rows and never includes any. */
export const noAnswers: AnswerFiller = {
  fill: async () => {
    throw new Error('rows that code answers for are included where none are asked for')
  },
}

/** A request that was understood and allowed: who calls, and what for. */
export interface Call {
  readonly caller: Caller
  readonly target: Target
}

/** The result of a request, before it becomes a response. */
export interface Outcome {
  readonly status: number
  /** The whole body, finished JSON. */
  readonly body: string | null
  /** The length of the body, where it is known without measuring the whole text. */
  readonly bytes?: number
  readonly etag?: string
  readonly location?: string
  /** The query of the next page. */
  readonly next?: string | null
  /** The query in its canonical form, where that may differ from the query that was sent. */
  readonly canonical?: string | null
  readonly replayed?: boolean
  /** The replay shows the row as it is now, because its answer was stored without the body. */
  readonly reread?: boolean
  /** The value of the Store-Position header: a replica that has reached this position shows what was written. */
  readonly position?: string | null
  /** Server-sent events, instead of a body. */
  readonly live?: LiveBody
}

interface Bindings {
  readonly account: string
  /** Who asks, and when, for statements that apply rules. */
  readonly asked?: { readonly by: Caller; readonly at: number }
  readonly id?: string | null
  readonly owner?: string | null
  readonly limit?: number
  readonly values?: readonly Value[]
}

/** The values of a statement, in the order it binds them. */
export function bindSlots(slots: readonly Slot[], from: Bindings): Value[] {
  const bound: Value[] = new Array(slots.length)
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as Slot
    if (typeof slot === 'number') bound[at] = from.values?.[slot] ?? null
    else if (typeof slot === 'string') bound[at] = from[slot] ?? null
    else if (from.asked) bound[at] = callerValue(slot, from.asked.by, from.asked.at)
    else throw new Error('a statement with a rule runs without a caller')
  }
  return bound
}
