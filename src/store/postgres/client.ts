import { setTimeout as sleep } from 'node:timers/promises'
import { hourMs } from '../../times.ts'
import type { Row, StoreCounters, Value } from '../store.ts'
import { type Connection, connect, type SentStatement, type Server } from './connection.ts'
import type { Answer } from './driver-statement.ts'
import { isCancelled, isForgotten, isReadOnly } from './errors.ts'
import type { NodeCounts } from './node-counts.ts'

/** Statements that one connection keeps prepared. The driver itself never drops one. */
const preparedMost = 1_000
const closeMs = 5_000

/** One slot of the pool. It has at most one connection, and `connect` opens another after that one is lost or retired. */
export class PostgresClient {
  /** Called when an answer has come, or will never come: the client may be free. */
  onAnswer: () => void = () => {}
  /** Called when the server says that it is read-only: it is a standby, or has become one. */
  onReadOnly: () => void = () => {}
  readonly #server: Server
  readonly #counters: StoreCounters
  readonly #nodes: NodeCounts
  readonly #retired = new Set<Connection>()
  #connection: Connection | null = null
  #connecting: Promise<void> | null = null
  #connectingSince = 0
  /** The connection takes no new statements, and is retired once those in flight are answered. */
  #retiring = false
  /** A transaction has this client to itself. */
  #reserved = false
  #reservedFor: string | null = null
  /** The lanes of the statements in flight, in the order in which they were sent. */
  readonly #lanes: (string | null)[] = []
  /** The tick at which each of them was sent. */
  readonly #sentAt: number[] = []
  #ticks = 0
  #silentTicks = 0
  #writing = 0
  #since = performance.now()
  #connectionCount = 0
  /** Names of the statements prepared on this connection, by their text. */
  #prepared = new Map<string, string>()
  #lastName = 0

  constructor(server: Server, counters: StoreCounters, nodes: NodeCounts) {
    this.#server = server
    this.#counters = counters
    this.#nodes = nodes
  }

  get connected(): boolean {
    return this.#connection !== null && !this.#retiring
  }

  /** The host that its connection leads to. */
  get host(): string | undefined {
    return this.#connection?.host
  }

  get reserved(): boolean {
    return this.#reserved
  }

  /** How long a connection has been in the making; null when none is. */
  connectingMs(now: number): number | null {
    return this.#connecting && now - this.#connectingSince
  }

  /** Statements sent and not yet answered. */
  get inFlight(): number {
    return this.#lanes.length
  }

  /** The lane of the transaction that has this client, or of the statement that is answered next. */
  get lane(): string | null {
    return this.#reserved ? this.#reservedFor : (this.#lanes[0] ?? null)
  }

  /** How long the server has owed an answer; 0 when it owes none. */
  silentMs(now: number): number {
    return this.#lanes.length === 0 ? 0 : now - this.#since
  }

  /** How many ticks ago the statement that is answered next was sent. It may have waited for those before it. */
  get oldestTicks(): number {
    return this.#ticks - (this.#sentAt[0] ?? this.#ticks)
  }

  /** How often `tick` was called since the server last answered. A pause of this process is one tick, however long it was. */
  get silentTicks(): number {
    return this.#silentTicks
  }

  tick(): void {
    this.#ticks++
    this.#silentTicks = this.#lanes.length === 0 ? 0 : this.#silentTicks + 1
  }

  /** How many of those in flight are single statements that write. */
  get writing(): number {
    return this.#writing
  }

  /** When the server last answered, or, if nothing was in flight before, when the first statement was sent. */
  get since(): number {
    return this.#since
  }

  /** Grows with every new connection: a transaction begun before that was rolled back by the server. */
  get connectionCount(): number {
    return this.#connectionCount
  }

  connect(): Promise<void> {
    if (this.#connecting) return this.#connecting
    this.#retireNow()
    this.#connectingSince = performance.now()
    this.#connecting = this.#open()
    return this.#connecting
  }

  reserve(lane: string | null): void {
    this.#reserved = true
    this.#reservedFor = lane
  }

  release(): void {
    this.#reserved = false
    this.#reservedFor = null
  }

  /** Resolves with what `take` returns for the answer. The statements of a transaction have the lane that the client is reserved for. */
  query<T>(
    text: string,
    values: readonly Value[],
    take: (answer: Answer) => T,
    writes = false,
    lane: string | null = null,
  ): Promise<T> {
    this.#counters.statements++
    const sent = { text, values, name: this.#nameOf(text) }
    return this.#send(sent, take, writes, this.#reserved ? this.#reservedFor : lane)
  }

  /** Runs statements without values, and resolves with the command tag of the last one. */
  command(text: string): Promise<string> {
    return this.#send({ text }, ({ tag }) => tag, false, this.#reservedFor)
  }

  /** Closes the connection once nothing is in flight. */
  retire(): void {
    if (this.inFlight === 0) this.#retireNow()
    else this.#retiring = true
  }

  /** Closes the connection at once: statements in flight fail. */
  cut(): void {
    this.#detach()?.cut()
    for (const left of this.#retired) left.cut()
  }

  async end(): Promise<void> {
    // A connection to a host that fell silent may never open, nor close.
    const given = sleep(closeMs, undefined, { ref: false })
    await Promise.race([this.#connecting?.catch(() => {}), given])
    await Promise.race([this.#detach()?.end(closeMs), given])
    for (const left of this.#retired) left.cut()
  }

  async #open(): Promise<void> {
    try {
      const onLost = (lost: Connection): void => {
        if (lost === this.#connection) this.#detach()
      }
      this.#connection = await connect(this.#server, { onLost })
      this.#since = performance.now()
    } finally {
      this.#connecting = null
    }
  }

  /** Gives the connection up: nothing more is sent on it. */
  #detach(): Connection | null {
    const left = this.#connection
    this.#connection = null
    this.#retiring = false
    this.#connectionCount++
    this.#prepared = new Map()
    return left
  }

  /** Statements in flight may take as long as any statement may; then the connection is closed. */
  #retireNow(): void {
    const left = this.#detach()
    if (!left) return
    this.#retired.add(left)
    void left.end(this.#server.settings.statementMs || hourMs).then(() => this.#retired.delete(left))
  }

  #nameOf(text: string): string | undefined {
    if (this.#server.settings.pgbouncer) return undefined
    const known = this.#prepared.get(text)
    if (known) return known
    if (this.#prepared.size >= preparedMost) {
      // A transaction must not lose its connection because of this limit.
      this.#retiring = !this.#reserved
      return undefined
    }
    const name = `n${++this.#lastName}`
    this.#prepared.set(text, name)
    this.#counters.prepared++
    return name
  }

  #send<T>(
    sent: SentStatement,
    take: (answer: Answer) => T,
    writes: boolean,
    lane: string | null,
  ): Promise<T> {
    const connection = this.#connection
    if (!connection) return Promise.reject(lostConnection())
    if (writes) this.#writing++
    const now = performance.now()
    this.#sentAt.push(this.#ticks)
    if (this.#lanes.push(lane) === 1) this.#since = now
    return new Promise((resolve, reject) => {
      connection.run(sent, (error, answer) => {
        this.#nodes.count(connection.host, lane, error)
        if (isCancelled(error)) this.#retiring = true
        this.#answered(writes)
        if (!error) return resolve(take(answer))
        // The table has changed, or the session was reset: the next attempt prepares the statement again.
        if (isForgotten(error)) this.#prepared.delete(sent.text)
        if (isReadOnly(error)) this.onReadOnly()
        reject(error)
      })
    })
  }

  #answered(writes: boolean): void {
    if (writes) this.#writing--
    this.#lanes.shift()
    this.#sentAt.shift()
    this.#silentTicks = 0
    this.#since = performance.now()
    if (this.inFlight === 0 && this.#retiring) this.#retireNow()
    this.onAnswer()
  }
}

export const rowsOf = ({ rows }: Answer): readonly Row[] => rows
export const firstRowOf = ({ rows }: Answer): Row | undefined => rows[0]
export const rowsWritten = ({ tag }: Answer): number => Number(tag.slice(tag.lastIndexOf(' ') + 1))

const lostConnection = (): Error =>
  Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
