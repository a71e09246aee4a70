import {
  areWaiting,
  type EventCondition,
  type EventsShape,
  lockHead,
  mostMoved,
  moveEvents,
  newestOf,
  selectEvent,
  selectEvents,
  selectNewest,
} from '../plan/event-reads.ts'
import { mostRowStatements, PlanCache } from '../plan/plan-cache.ts'
import type { Row, Store, Value } from '../store/store.ts'
import { type EventRow, eventRow, positionOfId } from './event-row.ts'

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
  /** Accounts whose events get positions now, and those for which that begins afterwards. */
  readonly #running = new Map<string, Promise<void>>()
  readonly #queued = new Map<string, Promise<void>>()

  constructor(store: Store) {
    this.#store = store
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

  /** The position of the newest event: reading after it shows what happens from now on. */
  async last(account: string): Promise<number> {
    return (await this.read(account, Number.MAX_SAFE_INTEGER, 1)).last
  }

  /** The position of the newest event of each account that has any. */
  async newest(accounts: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const text = this.#statement('newest', () => selectNewest(this.#store.dialect))
    const rows = await this.#store.all(text, [JSON.stringify(accounts)])
    const newest = new Map<string, number>()
    for (const [account, last] of rows)
      newest.set(
        String(account),
        Number(last) === areWaiting ? await this.last(String(account)) : Number(last),
      )
    return newest
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
    const first = await this.#select(account, position, limit, filter, order)
    const isWholePage = order === 'oldest-first' && first.events.length >= limit
    if (!first.areWaiting || isWholePage) return first
    await this.givePositions(account)
    return this.#select(account, position, limit, filter, order)
  }

  async #select(
    account: string,
    position: number,
    limit: number,
    { conditions, values }: EventFilter,
    order: EventOrder,
  ): Promise<EventsRead & { readonly areWaiting: boolean }> {
    const { dialect } = this.#store
    const descending = order === 'newest-first'
    const shape: EventsShape = { conditions, descending, pageSize: dialect.pageSize(limit) }
    const text = this.#statement(JSON.stringify(shape), () => selectEvents(shape, dialect))
    const rows: readonly Row[] = await this.#store.all(text, [account, position, limit, ...values], account)
    const [waiting, last, swept] = rows[0] ?? []
    const events = rows.filter((row) => row[3] !== null).map((row) => eventRow(account, row.slice(3)))
    return { events, last: Number(last), swept: Number(swept), areWaiting: Number(waiting) === 1 }
  }

  /**
   * Gives positions to committed events that have none. Readers share the work, but not one that has begun: events that were committed
   * since may be missing from it.
   */
  givePositions(account: string): Promise<void> {
    const queued = this.#queued.get(account)
    if (queued) return queued
    const begin = (): Promise<void> => {
      this.#queued.delete(account)
      const run = this.#moveAll(account).finally(() => {
        if (this.#running.get(account) === run) this.#running.delete(account)
      })
      this.#running.set(account, run)
      return run
    }
    const running = this.#running.get(account)
    if (!running) return begin()
    const next = running.then(begin, begin)
    this.#queued.set(account, next)
    return next
  }

  async #moveAll(account: string): Promise<void> {
    while ((await this.#move(account)) === mostMoved);
  }

  #move(account: string): Promise<number> {
    const { dialect } = this.#store
    const lock = this.#statement('lock', () => lockHead(dialect))
    const move = this.#statement('move', () => moveEvents(dialect))
    return this.#store.transaction(async (tx) => {
      const [last] = (await tx.first(lock, [account])) ?? []
      const [moved] = (await tx.first(move, [account, Number(last)])) ?? []
      return Number(moved)
    }, account)
  }

  #statement(shape: string, make: () => string): string {
    return this.#statements.get(shape, mostRowStatements, make)
  }
}
