import { hourMs } from '../../times.ts'
import type { Row, StoreCounters, Value } from '../store.ts'
import { type Connection, connect, type Sent } from './connection.ts'
import type { Driver } from './driver.ts'
import type { Answer } from './driver-statement.ts'
import { isForgotten } from './errors.ts'
import type { PostgresSettings } from './postgres-settings.ts'

/** Statements that one connection keeps prepared. The driver itself never drops one. */
const preparedMost = 1_000
const closeMs = 5_000

/** One slot of the pool. It has at most one connection, and `connect` opens another after that one is lost or retired. */
export class Client {
  /** A transaction has this client to itself. */
  reserved = false
  readonly #driver: Driver
  readonly #settings: PostgresSettings
  readonly #counters: StoreCounters
  readonly #retired = new Set<Connection>()
  #connection: Connection | null = null
  #connecting: Promise<void> | null = null
  /** The connection takes no new statements, and is retired once those in flight are answered. */
  #retiring = false
  #inFlight = 0
  #writing = 0
  #since = performance.now()
  #generation = 0
  /** Names of the statements prepared on this connection, by their text. */
  #prepared = new Map<string, string>()
  #lastName = 0

  constructor(driver: Driver, settings: PostgresSettings, counters: StoreCounters) {
    this.#driver = driver
    this.#settings = settings
    this.#counters = counters
  }

  get connected(): boolean {
    return this.#connection !== null && !this.#retiring
  }

  /** Statements sent and not yet answered. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** How many of those in flight are single statements that write. */
  get writing(): number {
    return this.#writing
  }

  /** When the server last answered, or, if nothing was in flight before, when the first statement was sent. */
  get since(): number {
    return this.#since
  }

  /** Grows with every new connection: a transaction begun under another generation was rolled back by the server. */
  get generation(): number {
    return this.#generation
  }

  connect(): Promise<void> {
    if (this.#connecting) return this.#connecting
    this.#retireNow()
    this.#connecting = this.#open()
    return this.#connecting
  }

  /** Resolves with what `take` returns for the answer. */
  query<T>(text: string, values: readonly Value[], take: (answer: Answer) => T, writes = false): Promise<T> {
    this.#counters.statements++
    return this.#send({ text, values, name: this.#nameOf(text) }, take, writes)
  }

  /** Runs statements without values, and resolves with the command tag of the last one. */
  command(text: string): Promise<string> {
    return this.#send({ text }, ({ tag }) => tag, false)
  }

  /** Closes the connection once nothing is in flight. */
  retire(): void {
    if (this.#inFlight === 0) this.#retireNow()
    else this.#retiring = true
  }

  /** Closes the connection at once: statements in flight fail. */
  cut(): void {
    this.#detach()?.cut()
  }

  async end(): Promise<void> {
    await this.#connecting?.catch(() => {})
    await this.#detach()?.end(closeMs)
    for (const left of this.#retired) left.cut()
  }

  async #open(): Promise<void> {
    try {
      const onLost = (lost: Connection): void => {
        if (lost === this.#connection) this.#detach()
      }
      this.#connection = await connect(this.#driver, this.#settings, { onLost })
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
    this.#generation++
    this.#prepared = new Map()
    return left
  }

  /** Statements in flight may take as long as any statement may; then the connection is closed. */
  #retireNow(): void {
    const left = this.#detach()
    if (!left) return
    this.#retired.add(left)
    void left.end(this.#settings.statementMs || hourMs).then(() => this.#retired.delete(left))
  }

  #nameOf(text: string): string | undefined {
    if (this.#settings.pgbouncer) return undefined
    const known = this.#prepared.get(text)
    if (known) return known
    if (this.#prepared.size >= preparedMost) {
      // A transaction must not lose its connection because of this limit.
      this.#retiring = !this.reserved
      return undefined
    }
    const name = `n${++this.#lastName}`
    this.#prepared.set(text, name)
    this.#counters.prepared++
    return name
  }

  #send<T>(sent: Sent, take: (answer: Answer) => T, writes: boolean): Promise<T> {
    const connection = this.#connection
    if (!connection) return Promise.reject(lostConnection())
    if (writes) this.#writing++
    if (this.#inFlight++ === 0) this.#since = performance.now()
    return new Promise((resolve, reject) => {
      connection.run(sent, (error, answer) => {
        this.#answered(writes)
        if (!error) return resolve(take(answer))
        // The table has changed, or the session was reset: the next attempt prepares the statement again.
        if (isForgotten(error)) this.#prepared.delete(sent.text)
        reject(error)
      })
    })
  }

  #answered(writes: boolean): void {
    if (writes) this.#writing--
    this.#inFlight--
    this.#since = performance.now()
    if (this.#inFlight === 0 && this.#retiring) this.#retireNow()
  }
}

export const allRows = ({ rows }: Answer): readonly Row[] => rows
export const firstRow = ({ rows }: Answer): Row | undefined => rows[0]
export const rowsWritten = ({ tag }: Answer): number => Number(tag.slice(tag.lastIndexOf(' ') + 1))

const lostConnection = (): Error =>
  Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
