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

/** Of an account without events. */
export const noMark: EventMark = { text: '', last: 0, isWaiting: false }

const everyEvent: EventFilter = { conditions: [], values: [] }

export type EventOrder = 'oldest-first' | 'newest-first'

/** Some events of an account, and what was known of all of them at that moment. */
export interface EventsRead {
  readonly events: readonly EventRow[]
  /** The position of the newest event, or of the last one that was deleted; 0 where there was none. */
  readonly last: number
  /** The position up to which events were deleted because of their age. */
  readonly swept: number
}

/** What tells whether an account has new events. */
export interface EventMark {
  /** Changes with every new event. */
  readonly text: string
  /** The last position that was given. */
  readonly last: number
  /** Whether committed events have no position yet. */
  readonly isWaiting: boolean
}

/**
 * The events of all accounts, each account's in the order of their positions. An event gets its position when it is committed or
 * later, never before: whoever reads on from the last position it saw misses no event, in whatever order transactions commit.
 */
export class EventLog {
  readonly #store: Store
  readonly #statements = new PlanCache<string>()
  readonly #positions: PositionGiver
  /** Accounts with events that were committed here and have not been asked positions for. */
  readonly #unplaced = new Set<string>()
  readonly #placing = new Map<string, Promise<void>>()

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

  /** Marks, by account, of the accounts that have events. */
  async marks(accounts: readonly string[]): Promise<ReadonlyMap<string, EventMark>> {
    const text = this.#statement('newest', () => newestOf(this.#store.dialect))
    const marks = new Map<string, EventMark>()
    for (const [name, number, isWaiting] of await this.#store.all(text, [JSON.stringify(accounts)])) {
      const account = String(name)
      const known = marks.get(account) ?? noMark
      marks.set(account, {
        text: `${known.text} ${number}`,
        last: isWaiting ? known.last : Number(number),
        isWaiting: known.isWaiting || Boolean(isWaiting),
      })
    }
    return marks
  }

  /** Events of the account were just committed, and somebody is about to read them: they get their positions first. */
  placeNow(account: string): void {
    if (this.#store.dialect.commitsInOrder) return
    this.#unplaced.add(account)
  }

  /** Events after a position; before it, where the newest come first. */
  async read(
    account: string,
    position: number,
    limit: number,
    filter: EventFilter = everyEvent,
    order: EventOrder = 'oldest-first',
  ): Promise<EventsRead> {
    await this.#placed(account)
    for (;;) {
      const found = await this.#select(account, position, limit, filter, order)
      const isWholePage = order === 'oldest-first' && found.events.length >= limit
      if (found.waiting === 0 || isWholePage) return found
      await this.#positions.give(account)
      // Events that are committed from now on come later.
      if (found.waiting <= mostMoved) return this.#select(account, position, limit, filter, order)
    }
  }

  /** Where events are known to wait for positions, they get them before the first look, which would find nothing else. */
  #placed(account: string): Promise<void> | undefined {
    if (this.#unplaced.delete(account)) {
      const placing = this.#positions.give(account).finally(() => {
        if (this.#placing.get(account) === placing) this.#placing.delete(account)
      })
      this.#placing.set(account, placing)
    }
    return this.#placing.get(account)
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
