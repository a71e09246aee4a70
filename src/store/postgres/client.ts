import { hourMs } from '../../times.ts'
import type { Row, StoreCounters, Value } from '../store.ts'
import { type Connection, connect, type Sent } from './connection.ts'
import type { Driver } from './driver.ts'
import type { Answer } from './driver-statement.ts'
import { isForgotten } from './errors.ts'
import type { PostgresSettings } from './postgres-settings.ts'

/** One connection at a time: another is made when it was lost. */
export interface Client {
  readonly connected: boolean
  readonly inFlight: number
  /** How many of those are single statements that write. */
  readonly writing: number
  /** Since when it owes an answer, or has nothing to do. */
  readonly since: number
  /** Another number: another connection, and what was begun on the last one is undone. */
  readonly generation: number
  /** Belongs to one transaction. */
  reserved: boolean
  connect(): Promise<void>
  /** What `take` makes of the answer. */
  query<T>(sql: string, values: readonly Value[], take: (answer: Answer) => T, writes?: boolean): Promise<T>
  /** Statements without values: the tag of the last one. */
  command(sql: string): Promise<string>
  /** Ends the connection when nothing is on its way; the next use makes a new one. */
  retire(): void
  /** Cuts the connection: whatever is on its way fails. */
  cut(): void
  end(): Promise<void>
}

/** Statements that one connection keeps prepared; the driver itself forgets none. */
const preparedMost = 1_000
const closeMs = 5_000

export function createClient(driver: Driver, settings: PostgresSettings, counters: StoreCounters): Client {
  let connection: Connection | null = null
  const retired = new Set<Connection>()
  let connecting: Promise<void> | null = null
  let retiring = false
  let inFlight = 0
  let writing = 0
  let since = performance.now()
  let generation = 0
  /** The names of what is prepared, by its text. */
  let prepared = new Map<string, string>()
  let names = 0

  /** Nobody is put on it from here on. */
  const leave = (): Connection | null => {
    const left = connection
    connection = null
    retiring = false
    generation++
    prepared = new Map()
    return left
  }
  const onLost = (lost: Connection): void => {
    if (lost === connection) leave()
  }
  const cut = (): void => leave()?.cut()
  /** Nobody is put on it any more; what is on its way may take as long as any statement. */
  const retireNow = (): void => {
    const left = leave()
    if (!left) return
    retired.add(left)
    void left.end(settings.statementMs || hourMs).then(() => retired.delete(left))
  }

  const open = async (): Promise<void> => {
    try {
      connection = await connect(driver, settings, { onLost })
      since = performance.now()
    } finally {
      connecting = null
    }
  }

  const begin = (writes: boolean): void => {
    if (writes) writing++
    if (inFlight++ === 0) since = performance.now()
  }
  const over = (writes: boolean): void => {
    if (writes) writing--
    inFlight--
    since = performance.now()
    if (inFlight === 0 && retiring) retireNow()
  }

  const nameOf = (text: string): string | undefined => {
    if (settings.pgbouncer) return undefined
    const known = prepared.get(text)
    if (known) return known
    if (prepared.size >= preparedMost) {
      // A transaction must not lose its connection over this.
      retiring = !client.reserved
      return undefined
    }
    const name = `n${++names}`
    prepared.set(text, name)
    counters.prepared++
    return name
  }

  const send = <T>(sent: Sent, take: (answer: Answer) => T, writes: boolean): Promise<T> => {
    const mine = connection
    if (!mine) return Promise.reject(lostConnection())
    begin(writes)
    return new Promise((resolve, reject) => {
      mine.run(sent, (error, answer) => {
        over(writes)
        if (!error) return resolve(take(answer))
        // Of a table that has changed, or of a session that was cleared: prepared anew at the next attempt.
        if (isForgotten(error)) prepared.delete(sent.text)
        reject(error)
      })
    })
  }

  const client: Client = {
    reserved: false,
    get connected() {
      return connection !== null && !retiring
    },
    get inFlight() {
      return inFlight
    },
    get writing() {
      return writing
    },
    get since() {
      return since
    },
    get generation() {
      return generation
    },
    connect() {
      if (connecting) return connecting
      retireNow()
      connecting = open()
      return connecting
    },
    query(text, values, take, writes = false) {
      counters.statements++
      return send({ text, values, name: nameOf(text) }, take, writes)
    },
    command: (text) => send({ text }, ({ tag }) => tag, false),
    retire() {
      if (inFlight === 0) retireNow()
      else retiring = true
    },
    cut,
    async end() {
      await connecting?.catch(() => {})
      await leave()?.end(closeMs)
      for (const left of retired) left.cut()
    },
  }
  return client
}

export const allRows = ({ rows }: Answer): readonly Row[] => rows
export const firstRow = ({ rows }: Answer): Row | undefined => rows[0]
export const rowsWritten = ({ tag }: Answer): number => Number(tag.slice(tag.lastIndexOf(' ') + 1))

const lostConnection = (): Error =>
  Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
