import type { Call } from '../call/call.ts'
import type { Included } from '../call/included.ts'
import type { Resource } from '../compile/model.ts'
import type { Planner } from '../plan/planner.ts'
import type { CursorSeal } from '../request/cursor.ts'
import type { Store } from '../store/store.ts'

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
  /** The shown row. Whoever fills it sets the member with the name of the relation. */
  readonly row: { [member: string]: unknown }
  /** The id of the included row, or of the row that is named by the included ones; null where it names none. */
  readonly id: string | null
}

/** Asks the code of nouns for the rows that others include. It is above this folder, which only tells what is lacking. */
export interface AnswerFiller {
  fill(call: Call, lacking: readonly LackingIncluded[]): Promise<void>
}
