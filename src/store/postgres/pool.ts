import { StoreError } from '../store.ts'
import { afterListening } from './after-listening.ts'
import type { PostgresClient } from './client.ts'
import { postgresError } from './errors.ts'
import { accountLanes, type Lanes } from './lanes.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { Shares, slowMs } from './shares.ts'
import { WaitingLists, type WorkKind, workKinds } from './waiting-lists.ts'

/** After a failed connection every request is refused for this long without trying to connect again. */
const refuseMs = 250
const sweepMs = 250
/** Statements in flight on one connection. More of them would only wait on the server instead of here. */
const inFlightMost = 32
/** A lane whose connections have all been silent for this share of the longest wait is refused at once. */
const stuckShare = 0.4
/** A lane whose connections are all silent is refused at once when this many of its statements wait already. */
const waitingMost = 100

/**
 * A single statement goes to the client with the fewest statements in flight; a transaction has a client to itself. A statement
 * that writes may wait for a row lock, so no reading statement is put behind it. A lane (lanes.ts) that holds its share of the
 * clients waits; when those are silent it is refused, while other lanes go on. A caller of `free` must send its statement before
 * the next `await`: after that the client may belong to a transaction.
 */
export class Pool {
  readonly #clients: readonly PostgresClient[]
  readonly #settings: PostgresSettings
  readonly #waiting = new WaitingLists()
  readonly #shares: Shares
  /**
   * With three clients or more, this one takes only reads, so that reads go on while transactions wait for each other. It takes everything
   * while it is the only one that is connected: the server may have no other connection for us.
   */
  readonly #forReads: PostgresClient | undefined
  /** At least one client is left to single writes, where there are enough. */
  readonly #reservable: number
  readonly #sweeper: NodeJS.Timeout
  #failure: { readonly error: unknown; readonly at: number } | null = null
  #closed = false

  constructor(clients: readonly PostgresClient[], settings: PostgresSettings) {
    this.#clients = clients
    this.#settings = settings
    this.#shares = new Shares(clients, accountLanes)
    this.#forReads = clients.length > 2 ? clients[0] : undefined
    this.#reservable = Math.max(1, clients.length - (this.#forReads ? 2 : 1))
    for (const client of clients) {
      client.onAnswer = () => this.#answered()
      client.onReadOnly = () => this.#retireAll()
    }
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs)
    this.#sweeper.unref()
  }

  get lanes(): Lanes {
    return this.#shares.lanes
  }

  set lanes(lanes: Lanes) {
    this.#shares.lanes = lanes
  }

  /** Transactions and single statements that wait for a client. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** How many statements of one lane wait. */
  waitingIn(lane: string): number {
    return this.#waiting.sizeOf(lane)
  }

  /** A connected client for one statement; null when there is none now. */
  free(kind: 'read' | 'write', lane: string | null): PostgresClient | null {
    const best = this.#pick(kind, lane)
    if (best && this.#isWantedElsewhere(best, kind)) this.#connectAnother(kind)
    return best
  }

  /** Calls `use` as soon as there is a client; throws StoreError when the server cannot be reached or the wait is too long. */
  wait<T>(kind: WorkKind, lane: string | null, use: (client: PostgresClient) => Promise<T>): Promise<T> {
    const refusal = this.#refusal(kind, lane)
    if (refusal) return Promise.reject(refusal)
    const { connectMs } = this.#settings
    return new Promise((resolve, reject) => {
      const end = (): void => {
        // How long the first connection may take to open is limited by itself, and its error says more.
        if (this.#isOpeningFirst()) {
          lift = afterListening(sweepMs, end)
          return
        }
        this.#waiting.remove(kind, lane, waiter)
        reject(this.#noneFree())
      }
      let lift = afterListening(connectMs, end)
      const waiter = {
        wake(client: PostgresClient): void {
          lift()
          resolve(use(client))
        },
        refuse(error: unknown): void {
          lift()
          reject(error)
        },
      }
      this.#waiting.add(kind, lane, waiter)
      this.#connectAnother(kind)
    })
  }

  /** A client for a transaction, until it is released. */
  async reserve(lane: string | null): Promise<PostgresClient> {
    const client = this.#waiting.has('transaction', lane) ? null : this.#pick('transaction', lane)
    if (!client) return this.wait('transaction', lane, async (free) => free)
    if (this.#isWantedElsewhere(client, 'transaction')) this.#connectAnother('transaction')
    client.reserve(lane)
    return client
  }

  release(client: PostgresClient): void {
    client.release()
    this.#answered()
  }

  async end(): Promise<void> {
    this.#closed = true
    clearInterval(this.#sweeper)
    this.lanes.stop()
    this.#waiting.refuseAll(unavailable('the store is closed'))
    await Promise.all(this.#clients.map((client) => client.end()))
  }

  /** The least busy client that may take a statement. A lane that has used up its share sends more only behind its own statements. */
  #pick(kind: WorkKind, lane: string | null): PostgresClient | null {
    const now = performance.now()
    let best: PostgresClient | null = null
    let ownBest: PostgresClient | null = null
    let reserved = 0
    for (const client of this.#clients) {
      if (client.reserved) reserved++
      else if (client.silentMs(now) <= slowMs && this.#mayTake(client, kind, lane)) {
        if (!best || client.inFlight < best.inFlight) best = client
        const isOwn = client.inFlight > 0 && client.lane === lane
        if (isOwn && (!ownBest || client.inFlight < ownBest.inFlight)) ownBest = client
      }
    }
    if (kind === 'transaction' && reserved >= this.#reservable) return null
    if (lane === null || !best || !this.#shares.isUsedUp(kind, lane)) return best
    return kind === 'transaction' ? null : ownBest
  }

  #mayTake(client: PostgresClient, kind: WorkKind, lane: string | null): boolean {
    if (!client.connected || client.inFlight >= inFlightMost) return false
    if (this.#forReads && kind === 'read' && client.writing > 0) return false
    if (kind !== 'read' && client === this.#forReads && this.#isAnyOther(client)) return false
    if (!this.lanes.apart || client.inFlight === 0) return true
    // A connection that is never idle would keep other lanes waiting for ever.
    return client.lane === lane && !this.#othersWait(lane)
  }

  #isOpeningFirst(): boolean {
    const now = performance.now()
    return (
      this.#clients.every((client) => !client.connected) &&
      this.#clients.some((client) => client.connectingMs(now) !== null)
    )
  }

  #isAnyOther(than: PostgresClient): boolean {
    return this.#clients.some((client) => client !== than && client.connected)
  }

  /** More connections are opened in the background, while statements already go to those that are open. */
  #isWantedElsewhere(client: PostgresClient, kind: WorkKind): boolean {
    return client.inFlight > 0 || (kind !== 'read' && client === this.#forReads)
  }

  /** Whether another lane waits for a client that it may have. */
  #othersWait(lane: string | null): boolean {
    if (this.#waiting.size === this.#waiting.sizeOf(lane)) return false
    return workKinds.some((kind) =>
      this.#waiting
        .lanes(kind)
        .some((other) => other !== lane && (other === null || !this.#shares.isUsedUp(kind, other))),
    )
  }

  /** Sends what waits, as far as there are clients for it. */
  #answered(): void {
    if (this.#waiting.size === 0) return
    for (const kind of workKinds)
      this.#waiting.serve(kind, (lane) => {
        const client = this.#pick(kind, lane)
        if (client && kind === 'transaction') client.reserve(lane)
        return client
      })
    for (const kind of workKinds) if (this.#waiting.hasAny(kind)) this.#connectAnother(kind)
  }

  /** Opens one connection after the other, and does not wait for one whose host is silent. */
  #connectAnother(kind: WorkKind): void {
    const now = performance.now()
    const isRecent = this.#failure && now - this.#failure.at < refuseMs
    if (this.#closed || isRecent) return
    const client = this.#clients.find(
      (one) =>
        !one.reserved &&
        !one.connected &&
        (one.connectingMs(now) ?? 0) <= slowMs &&
        (kind === 'read' || one !== this.#forReads),
    )
    if (!client || client.connectingMs(now) !== null) return
    client.connect().then(
      () => {
        this.#failure = null
        this.#answered()
      },
      (error: unknown) => {
        this.#failure = { error, at: performance.now() }
        if (!this.#clients.some(({ connected }) => connected)) this.#waiting.refuseAll(postgresError(error))
      },
    )
  }

  /** Why a statement is not even to wait, or null. */
  #refusal(kind: WorkKind, lane: string | null): unknown {
    if (this.#closed) return unavailable('the store is closed')
    const failure = this.#failure
    const isAway = failure && !this.#clients.some(({ connected }) => connected)
    if (isAway && performance.now() - failure.at < refuseMs) return postgresError(failure.error)
    return lane !== null && this.#isStuck(kind, lane) ? stuck(lane) : null
  }

  /** Whether a lane has used up its share, and the server answers none of the clients that it holds. */
  #isStuck(kind: WorkKind, lane: string): boolean {
    const held = this.#shares.limiting(kind, lane)
    if (held.length === 0) return false
    const ticks = Math.min(...held.map(({ silentTicks }) => silentTicks))
    if (ticks > 0 && this.#waiting.sizeOf(lane) >= waitingMost) return true
    return ticks * sweepMs >= stuckShare * this.#settings.connectMs
  }

  #noneFree(): StoreError {
    const why = this.#failure?.error
    const failed = why instanceof Error ? `; another could not be opened: ${why.message}` : ''
    return unavailable(
      `no free connection of ${this.#clients.length} in ${this.#settings.connectMs} ms${failed}`,
    )
  }

  /** After a failover every connection may lead to a server that is read-only. Statements in flight are answered first. */
  #retireAll(): void {
    for (const client of this.#clients) client.retire()
  }

  /** Closes connections that have been idle for long, and those whose server no longer answers; refuses what waits behind those. */
  #sweep(): void {
    const { statementMs, idleMs } = this.#settings
    // The server ends a statement earlier than this, if it is still there.
    const cutMs = statementMs > 0 ? statementMs + Math.min(statementMs, 1_500) : Number.POSITIVE_INFINITY
    const now = performance.now()
    this.#clients.forEach((client, at) => {
      client.tick()
      if (client.oldestTicks * sweepMs >= cutMs) client.cut()
      const idle = at > 0 && client.connected && !client.reserved && client.inFlight === 0
      if (idle && idleMs > 0 && now - client.since > idleMs) client.retire()
    })
    for (const kind of workKinds) if (this.#waiting.hasAny(kind)) this.#connectAnother(kind)
    for (const kind of workKinds)
      for (const lane of this.#waiting.lanes(kind))
        if (lane !== null && this.#isStuck(kind, lane)) this.#waiting.refuse(kind, lane, stuck(lane))
  }
}

const stuck = (lane: string): StoreError =>
  unavailable(`the connections that ${lane} may hold all wait for an answer`)
const unavailable = (what: string): StoreError => new StoreError('unavailable', `PostgreSQL: ${what}`)
