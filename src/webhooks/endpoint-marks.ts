import { readMark, replaceMark, setMark } from '../store/marks.ts'
import type { Store } from '../store/store.ts'
import { takeLookTurn } from '../store/turns.ts'
import { minuteMs } from '../times.ts'

/** Whether a process looks for the work of all endpoints now: nobody needs to, another process does, or this one. */
export type Turn = 'nobody' | 'another' | 'ours'

/** Its time is when an endpoint was written last, or 0 where there are none. */
const endpointsMark = 'webhook endpoints'
/** Its time is when a process may look again. */
const lookMark = 'webhook look'
/** A write of an endpoint that has set the mark is committed within this time. */
const committedMs = minuteMs

/**
 * Where accounts are on different machines, looking for work asks all of them. So one process does it at a time, and none while there are
 * no endpoints: rows of `nounkit_marks` say so, each on one machine. Elsewhere every process looks.
 */
export class EndpointMarks {
  readonly #store: Store
  readonly #isNeeded: boolean

  constructor(store: Store) {
    this.#store = store
    this.#isNeeded = store.dialect.accountsApart
  }

  /** Called before an endpoint is written, outside of the transaction that does it: that one is for the machine of the account alone. */
  async endpointComes(now: number): Promise<void> {
    if (this.#isNeeded) await setMark(this.#store, endpointsMark, now)
  }

  async turn(now: number, everyMs: number): Promise<Turn> {
    if (!this.#isNeeded) return 'ours'
    try {
      if ((await readMark(this.#store, endpointsMark)) === 0) return 'nobody'
      return (await takeLookTurn(this.#store, lookMark, now, everyMs)) ? 'ours' : 'another'
    } catch {
      // The machine of the marks is away. The others may have work.
      return 'ours'
    }
  }

  /**
   * Part of the housekeeping, which takes the mark away when the last endpoint is gone, and sets it where it is lost.
   */
  async review(now: number): Promise<void> {
    if (!this.#isNeeded) return
    const seen = await readMark(this.#store, endpointsMark)
    const found = await this.#store.first('SELECT 1 FROM "webhook_endpoints" LIMIT 1', [])
    if (found && seen === 0) await setMark(this.#store, endpointsMark, now)
    if (found || (seen !== null && now - seen < committedMs)) return
    if (seen !== 0) await replaceMark(this.#store, endpointsMark, 0, seen)
  }
}
