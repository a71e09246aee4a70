import { mostMoved } from '../plan/event-moves.ts'
import {
  type EventCondition,
  type EventsShape,
  newestOf,
  selectEvent,
  selectEvents,
} from '../plan/event-reads.ts'
import { mostRowStatements, PlanCache } from '../plan/plan-cache.ts'
import type { Row, Store, Value } from '../store/store.ts'
import { type EventRow, eventRow, positionOfId } from './event-row.ts'
import { PositionGiver } from './give-positions.ts'

/** Which events are read. */
export interface EventFilter {
  readonly conditions: readonly EventCondition[]
  readonly values: readonly Value[]
}

export const everyEvent: EventFilter = { conditions: [], values: [] }

export type EventOrder = 'oldest-first' | 'newest-first'

/** Some events of an account, and what was known of all of them at that moment. */
export interface EventsRead {
  readonly events: readonly EventRow[]
  /** The position of the newest event, or of the last one that was deleted; 0 where there was none. */
  readonly last: number
  /** The position up to which events were deleted because of their age. */
  readonly swept: number
}

/**
 * The events of all accounts, each account's in the order of their positions. An event gets its position when it is committed or
 * later, never before: whoever reads on from the last position it saw misses no event, in whatever order transactions commit.
 */
export class EventLog {
  readonly #store: Store
  readonly #statements = new PlanCache<string>()
  readonly #positions: PositionGiver

  constructor(store: Store) {
    this.#store = store
    this.#positions = new PositionGiver(store)
  }

  /** Events after a position, oldest first. */
  async after(account: string, position: number, limit: number): Promise<readonly EventRow[]> {
    return (await this.read(account, position, limit)).events
  }

  async one(account: string, id: string): Promise<EventRow | null> {
    const position = positionOfId(id)
    if (position === null) return null
    const text = this.#statement('one', () => selectEvent(this.#store.dialect))
    const found = await this.#store.first(text, [account, position, id], account)
    return found ? eventRow(account, found) : null
  }

  /** The position of the newest event: reading after it shows what happens from now on. All committed events have positions then. */
  async last(account: string): Promise<number> {
    return (await this.read(account, Number.MAX_SAFE_INTEGER, 1)).last
  }

  /** Texts, by account, that change when an account has new events. */
  async marks(accounts: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const text = this.#statement('newest', () => newestOf(this.#store.dialect))
    const marks = new Map<string, string>()
    for (const [account, number] of await this.#store.all(text, [JSON.stringify(accounts)]))
      marks.set(String(account), `${marks.get(String(account)) ?? ''} ${number}`)
    return marks
  }

  /** Events after a position; before it, where the newest come first. */
  async read(
    account: string,
    position: number,
    limit: number,
    filter: EventFilter = everyEvent,
    order: EventOrder = 'oldest-first',
  ): Promise<EventsRead> {
    for (;;) {
      const found = await this.#select(account, position, limit, filter, order)
      const isWholePage = order === 'oldest-first' && found.events.length >= limit
      if (found.waiting === 0 || isWholePage) return found
      await this.#positions.give(account)
      // Events that are committed from now on come later.
      if (found.waiting <= mostMoved) return this.#select(account, position, limit, filter, order)
    }
  }

  async #select(
    account: string,
    position: number,
    limit: number,
    { conditions, values }: EventFilter,
    order: EventOrder,
  ): Promise<EventsRead & { readonly waiting: number }> {
    const { dialect } = this.#store
    const descending = order === 'newest-first'
    const shape: EventsShape = { conditions, descending, pageSize: dialect.pageSize(limit) }
    const text = this.#statement(JSON.stringify(shape), () => selectEvents(shape, dialect))
    const rows: readonly Row[] = await this.#store.all(text, [account, position, limit, ...values], account)
    const [waiting, last, swept] = rows[0] ?? []
    const events = rows.filter((row) => row[3] !== null).map((row) => eventRow(account, row.slice(3)))
    return { events, last: Number(last), swept: Number(swept), waiting: Number(waiting) }
  }

  #statement(shape: string, make: () => string): string {
    return this.#statements.get(shape, mostRowStatements, make)
  }
}
