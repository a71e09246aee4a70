import { mostMoved } from '../plan/event-moves.ts'
import { type EventCondition, newestOf, selectEvent, selectEvents } from '../plan/event-reads.ts'
import { allRows } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'
import { type EventRow, eventRow, positionOfId } from './event-row.ts'
import { PositionGiver } from './give-positions.ts'

const mostPerStatement = 500

/** The mark of an account without events. */
export const noMark: EventMark = { text: '', last: 0, isWaiting: false }

export type EventOrder = 'oldest-first' | 'newest-first'

/** Whether a read gives positions to all events that are committed, or is content where it finds some that have positions. */
export type EventExtent = 'all committed' | 'what is placed'

/** What is read of an account's events. */
export interface EventSelection {
  readonly conditions: readonly EventCondition[]
  readonly order: EventOrder
  readonly extent: EventExtent
}

const everything: EventSelection = {
  conditions: [],
  order: 'oldest-first',
  extent: 'all committed',
}

/** Some events of an account, and what was known of all of them at that moment. */
export interface EventsRead {
  readonly events: readonly EventRow[]
  /** The position of the newest event, or of the last one that was deleted; 0 where there was none. */
  readonly last: number
  /** The position up to which events were deleted because of their age. */
  readonly swept: number
  /** There may be more, because reading ended with the event that passed the bytes asked for. */
  readonly isCut: boolean
  /** There are more, which had no position yet. Never where all that is committed was asked for. */
  readonly hasWaiting: boolean
}

/** How many events are read at most, and after how many bytes of them reading ends. */
export interface EventBounds {
  readonly limit: number
  readonly bytes: number
}

/** A row may have megabytes, and an event has it before and after. */
const mostBytesRead = 8_000_000

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
  readonly #positions: PositionGiver
  /** Accounts with events that were committed here and have not been asked positions for. */
  readonly #unplaced = new Set<string>()
  readonly #placing = new Map<string, Promise<void>>()

  constructor(store: Store) {
    this.#store = store
    this.#positions = new PositionGiver(store)
  }

  /** Events after a position, oldest first, of which so many bytes are in memory at a time. */
  after(account: string, position: number, limit: number): Promise<EventsRead> {
    return this.read(account, position, { limit, bytes: mostBytesRead })
  }

  async one(account: string, id: string): Promise<EventRow | null> {
    const position = positionOfId(id)
    if (position === null) return null
    const select = selectEvent(this.#store.dialect, account, position, id)
    const [found] = await allRows(this.#store, select, account)
    return found ? eventRow(account, found) : null
  }

  /** The position of the newest event: reading after it shows what happens from now on. All committed events have positions then. */
  async last(account: string): Promise<number> {
    return (await this.read(account, Number.MAX_SAFE_INTEGER, { limit: 1, bytes: 0 })).last
  }

  /** Marks, by account, of the accounts that have events. Where accounts are apart, only one is asked for. */
  async marks(accounts: readonly string[]): Promise<ReadonlyMap<string, EventMark>> {
    const { dialect } = this.#store
    const [only = ''] = accounts
    const newest = newestOf(dialect, accounts)
    const rows = dialect.accountsApart ? allRows(this.#store, newest, only) : allRows(this.#store, newest)
    const marks = new Map<string, EventMark>()
    for (const [name, number, isWaiting] of await rows) {
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

  /** How many accounts `marks` may be asked for at once. */
  get mostMarks(): number {
    return this.#store.dialect.accountsApart ? 1 : mostPerStatement
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
    bounds: EventBounds,
    selection: EventSelection = everything,
  ): Promise<EventsRead> {
    const { order, extent } = selection
    await this.#placed(account)
    for (;;) {
      const found = await this.#select(account, position, bounds, selection)
      const isWholePage = order === 'oldest-first' && (found.isCut || found.events.length >= bounds.limit)
      if (found.waiting === 0 || isWholePage) return found
      if (extent === 'what is placed' && found.events.length > 0) return { ...found, hasWaiting: true }
      await this.#positions.give(account)
      // Events that are committed from now on come later.
      if (found.waiting <= mostMoved) return this.#select(account, position, bounds, selection)
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
    { limit, bytes }: EventBounds,
    { conditions, order }: EventSelection,
  ): Promise<EventsRead & { readonly waiting: number }> {
    const { dialect } = this.#store
    const descending = order === 'newest-first'
    const select = selectEvents(dialect, { account, position, conditions, descending, limit, bytes })
    const rows = await allRows(this.#store, select, account)
    const [waiting, last, swept] = rows[0] ?? []
    const events = rows.filter((row) => row[3] !== null).map((row) => eventRow(account, row.slice(3)))
    const isCut = Number(rows.at(-1)?.at(-1) ?? 0) > bytes
    return {
      events,
      last: Number(last),
      swept: Number(swept),
      waiting: Number(waiting),
      isCut,
      hasWaiting: false,
    }
  }
}
