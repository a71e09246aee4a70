import type { EventLog } from '../events/event-log.ts'
import type { EventJudge } from '../events/permitted-events.ts'
import { type Store, StoreError } from '../store/store.ts'
import type { AttemptWriter } from './attempt-writer.ts'
import { type Delivery, dueDeliveries, makeDeliveries } from './delivery-rows.ts'
import { endEndpoints, stillRests } from './end-endpoints.ts'
import type { CallResult, EndpointCaller } from './endpoint-call.ts'
import { deactivate, type Endpoint, type EndpointKey, sealedSecrets } from './endpoint-rows.ts'
import type { Leases } from './leases.ts'
import { nextAttemptAt } from './retry-times.ts'
import type { SecretBox } from './secret-box.ts'
import { signedHeaders } from './signature.ts'
import { bodyFor, wantedEvents } from './wanted-event.ts'

/** What the runs of all endpoints share. */
export interface RunParts extends EventJudge {
  readonly store: Store
  readonly events: EventLog
  readonly leases: Leases
  readonly attempts: AttemptWriter
  readonly caller: EndpointCaller
  readonly box: SecretBox
  readonly delaysMs: readonly number[]
  readonly counts: DeliveryCounts
  readonly lookEveryMs?: number | undefined
  isRetired(version: string): boolean
  failed(error: unknown): void
}

export interface DeliveryCounts {
  delivered: number
  /** Attempts after which another one follows. */
  retried: number
  failed: number
}

interface Secret {
  readonly text: string
  readonly expiresAt: number | null
}

/** Calls of one endpoint at a time. */
const mostInFlight = 10
/** Deliveries that are read at a time, and below how many more are read: so many that calls go on while more are read. */
const batch = 200
const low = 100

/** How old what is known of an endpoint may be when a call begins: as old as what is known of a key (guard/key-cache.ts). */
const longestFreshMs = 1_000

/** The work for one endpoint, while this process has its lease. */
export class EndpointRun {
  readonly key: EndpointKey
  readonly #parts: RunParts
  readonly #idle: () => void
  #endpoint: Endpoint | null = null
  /** When the endpoint was read, on the monotonic clock. */
  #takenAt = Number.NEGATIVE_INFINITY
  #taking: Promise<Endpoint | null> | null = null
  #position = 0
  #secrets: readonly Secret[] = []
  readonly #queue: Delivery[] = []
  /** Deliveries that were read and whose outcome is not stored yet. */
  readonly #known = new Set<string>()
  #inFlight = 0
  #loading: Promise<void> | null = null
  /** Whether there may be more to read. */
  #mayHaveMore = false
  #stopped = false
  #drained: (() => void) | null = null

  constructor(key: EndpointKey, parts: RunParts, idle: () => void) {
    this.key = key
    this.#parts = parts
    this.#idle = idle
  }

  get isIdle(): boolean {
    return this.#known.size === 0 && !this.#loading && !this.#mayHaveMore
  }

  /** The position of the account's events up to which this run has made deliveries. */
  get position(): number {
    return this.#position
  }

  /** There may be new events, or deliveries that are due. */
  poke(): void {
    if (this.#stopped) return
    this.#mayHaveMore = true
    this.#go()
  }

  /** No call begins any more; those that are under way go on. */
  stop(): void {
    this.#stopped = true
    this.#mayHaveMore = false
    for (const { id } of this.#queue.splice(0)) this.#known.delete(id)
  }

  /** Resolves when nothing is under way any more. */
  drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#drained = resolve
    this.#go()
    return promise
  }

  #go(): void {
    while (this.#inFlight < mostInFlight) {
      const delivery = this.#queue.shift()
      if (!delivery) break
      this.#inFlight++
      void this.#attempt(delivery)
    }
    if (this.#mayHaveMore && !this.#loading && this.#queue.length < low) {
      this.#loading = this.#load()
        .catch((error: unknown) => {
          // The store is unavailable. The next look of the dispatcher tries again.
          this.#mayHaveMore = false
          this.#parts.failed(error)
        })
        .then(() => {
          this.#loading = null
          this.#go()
        })
    } else if (this.isIdle) {
      this.#idle()
      this.#drained?.()
    }
  }

  async #load(): Promise<void> {
    this.#mayHaveMore = false
    const { box, store, now } = this.#parts
    const endpoint = await this.#take()
    if (!endpoint) return this.#giveUp()
    const sealed = await sealedSecrets(store, this.key)
    this.#secrets = sealed.map((one) => ({ text: box.open(one.sealed), expiresAt: one.expiresAt }))
    // The outcome of a call may be stored while the rows are read: they would show its delivery as due.
    const known = new Set(this.#known)
    const due = await dueDeliveries(store, this.key, now(), batch + known.size)
    const fresh = due.filter(({ id }) => !known.has(id)).slice(0, batch)
    this.#add(fresh)
    if (fresh.length === batch) this.#mayHaveMore = true
    else await this.#loadEvents(endpoint)
  }

  /** The endpoint as it is now; null where it gets no call from here, or no call at all. */
  async #take(): Promise<Endpoint | null> {
    const { leases, now } = this.#parts
    const takenAt = performance.now()
    const found = await leases.take(this.key, now())
    // What waits was made for what the endpoint was. What of it is still to be sent is read again.
    if (found?.rowVersion !== this.#endpoint?.rowVersion) this.#giveUp()
    this.#endpoint = found && (await this.#mayBeCalled(found)) ? found : null
    this.#takenAt = takenAt
    return this.#endpoint
  }

  async #mayBeCalled({ account, version, restsOn }: Endpoint): Promise<boolean> {
    const { store, now, isRetired } = this.#parts
    if (isRetired(version)) {
      await store.transaction((tx) => deactivate(tx, this.key, 'version-retired', now()), account)
      return false
    }
    if (await stillRests(store, account, restsOn, now())) return true
    await store.transaction((tx) => endEndpoints(tx, account, { keys: [restsOn] }, now()), account)
    return false
  }

  /** The endpoint may have been changed or ended, or its key, while deliveries wait for their calls: null then. */
  async #fresh(): Promise<Endpoint | null> {
    const { lookEveryMs = longestFreshMs } = this.#parts
    if (performance.now() - this.#takenAt < Math.min(lookEveryMs, longestFreshMs)) return this.#endpoint
    const before = this.#endpoint
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null
    })
    const endpoint = await this.#taking
    if (!endpoint) this.#giveUp()
    if (endpoint?.rowVersion === before?.rowVersion) return endpoint
    this.#mayHaveMore = endpoint !== null
    return null
  }

  /** Another process calls the endpoint now, or nobody does any more. */
  #giveUp(): void {
    for (const { id } of this.#queue.splice(0)) this.#known.delete(id)
  }

  async #loadEvents(endpoint: Endpoint): Promise<void> {
    const { events, store, now, failed } = this.#parts
    const { events: found, isCut } = await events.after(endpoint.account, endpoint.position, batch)
    const last = found.at(-1)
    if (!last) return
    const wanted = await wantedEvents(this.#parts, endpoint, found, failed)
    const made = await makeDeliveries(store, endpoint, last.position, wanted, now())
    if (made) {
      this.#position = last.position
      this.#add(made)
    }
    if (found.length === batch || isCut || !made) this.#mayHaveMore = true
  }

  #add(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      this.#known.add(delivery.id)
      this.#queue.push(delivery)
    }
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const result = await this.#call(delivery).catch((error: unknown) => {
      this.#parts.failed(error)
      // Without the store nothing was tried.
      return error instanceof StoreError ? null : notMade
    })
    this.#inFlight--
    // A call that failed because the process stops says nothing of the endpoint. It is made again by another process.
    if (result && !(this.#stopped && result.error !== null)) this.#note(delivery, result)
    else this.#known.delete(delivery.id)
    this.#go()
  }

  /** Null where nothing was tried. */
  async #call({ eventId, body: known }: Delivery): Promise<CallResult | NoCall | null> {
    const endpoint = await this.#fresh()
    if (!endpoint || this.#stopped) return null
    const body = known ?? (await this.#bodyOf(endpoint, eventId))
    if (body === null) return eventGone
    // The receiver compares the time with its own clock, so it is the real one.
    const seconds = Math.floor(Date.now() / 1_000)
    const now = this.#parts.now()
    const signing = this.#secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    const headers = signedHeaders(
      eventId,
      seconds,
      body,
      signing.map(({ text }) => text),
    )
    return this.#parts.caller.post(endpoint.url, headers, body)
  }

  async #bodyOf(endpoint: Endpoint, eventId: string): Promise<string | null> {
    const event = await this.#parts.events.one(endpoint.account, eventId)
    return event && bodyFor(this.#parts, endpoint, event)
  }

  #note({ id, attempts }: Delivery, { status, error, retryAfter }: CallResult | NoCall): void {
    const { delaysMs, now, counts } = this.#parts
    const delivered = error === null
    const last = delivered || status === 410 || error === eventGone.error
    const nextAt = last ? null : nextAttemptAt(attempts + 1, delaysMs, retryAfter, now())
    counts[delivered ? 'delivered' : nextAt === null ? 'failed' : 'retried']++
    const attempt = { id, delivered, status, error, nextAt }
    this.#parts.attempts.add(this.key, attempt, status === 410, () => {
      this.#known.delete(id)
      this.#go()
    })
  }
}

/** Why there was nothing to send. */
interface NoCall {
  readonly status: null
  readonly error: 'event-expired' | 'event-unreadable'
  readonly retryAfter: null
}

/** The event is older than events are kept, or the endpoint may no longer be told it. */
const eventGone: NoCall = { status: null, error: 'event-expired', retryAfter: null }
/** The code that makes the event's body failed. */
const notMade: NoCall = { status: null, error: 'event-unreadable', retryAfter: null }
