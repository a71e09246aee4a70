import type { Store } from '../store/store.ts'
import { minuteMs } from '../times.ts'
import { statement } from './rows.ts'

/** Whether a process looks for the work of all endpoints now: nobody needs to, another process does, or this one. */
export type Turn = 'nobody' | 'another' | 'ours'

/** Its time is when an endpoint was written last, or 0 where there are none. */
const endpointsMark = 'webhook endpoints'
/** Its time is when a process looked last. */
const lookMark = 'webhook look'
/** A write of an endpoint that has set the mark is committed within this time. */
const settledMs = minuteMs

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
    if (this.#isNeeded) await this.#set(endpointsMark, now)
  }

  async turn(now: number, everyMs: number): Promise<Turn> {
    if (!this.#isNeeded) return 'ours'
    try {
      if ((await this.#read(endpointsMark)) === 0) return 'nobody'
      return (await this.#takeTurn(now, everyMs)) ? 'ours' : 'another'
    } catch {
      // The machine of the marks is away. The others may have work.
      return 'ours'
    }
  }

  /**
   * Part of the housekeeping, which sees endpoints of processes of an earlier release, that set no mark, and takes the mark away when the
   * last endpoint is gone.
   */
  async review(now: number): Promise<void> {
    if (!this.#isNeeded) return
    const seen = await this.#read(endpointsMark)
    const found = await this.#store.first('SELECT 1 FROM "webhook_endpoints" LIMIT 1', [])
    if (found && seen === 0) await this.#set(endpointsMark, now)
    if (found || (seen !== null && now - seen < settledMs)) return
    if (seen === null) await this.#set(endpointsMark, 0)
    else if (seen > 0) await this.#replace(endpointsMark, 0, 'equal', seen)
  }

  /** Null where nobody has set it yet: then there may be endpoints. */
  async #read(mark: string): Promise<number | null> {
    const { text, values } = statement(
      this.#store.dialect,
      (bind) => `SELECT "at" FROM "nounkit_marks" WHERE "id" = ${bind('id', mark)}`,
    )
    const row = await this.#store.first(text, values, mark)
    return row ? Number(row[0]) : null
  }

  async #takeTurn(now: number, everyMs: number): Promise<boolean> {
    // Timers of processes are not in step: the next turn may come a little early.
    if (await this.#replace(lookMark, now, 'at most', now - 0.9 * everyMs)) return true
    const last = await this.#read(lookMark)
    // A time in the future was written by a process whose clock was ahead.
    if (last !== null && last <= now + minuteMs) return false
    await this.#set(lookMark, now)
    return true
  }

  async #set(mark: string, at: number): Promise<void> {
    const { text, values } = statement(
      this.#store.dialect,
      (bind) =>
        `INSERT INTO "nounkit_marks" ("id", "at") VALUES (${bind('id', mark)}, ${bind('integer', at)}) ON CONFLICT ("id") DO UPDATE SET "at" = excluded."at"`,
    )
    await this.#store.writeOne(text, values, mark)
  }

  /** Whether it was: another process may have changed it. */
  async #replace(mark: string, at: number, when: 'equal' | 'at most', seen: number): Promise<boolean> {
    const { text, values } = statement(
      this.#store.dialect,
      (bind) =>
        `UPDATE "nounkit_marks" SET "at" = ${bind('integer', at)} WHERE "id" = ${bind('id', mark)} AND "at" ${when === 'equal' ? '=' : '<='} ${bind('integer', seen)}`,
    )
    return (await this.#store.writeOne(text, values, mark)) > 0
  }
}
