import type { Row, StoreCounters, Value } from '../store.ts'
import { type Driver, newClient, type Sql } from './driver.ts'
import type { PostgresSettings } from './settings.ts'

/** One connection that comes back when it was lost. Statements are pipelined: the server answers them in order. */
export interface Client {
  readonly connected: boolean
  readonly inFlight: number
  /** Since when it owes an answer, or has nothing to do. */
  readonly since: number
  /** Another number: another connection, and what was begun on the last one is undone. */
  readonly generation: number
  /** Belongs to one transaction. */
  reserved: boolean
  connect(): Promise<void>
  query(sql: string, values: readonly Value[]): Promise<readonly Row[]>
  /** Statements without values, the tag of the last one (`COMMIT`). */
  command(sql: string): Promise<string>
  /** Ends the connection when nothing is on its way; the next use makes a new one. */
  retire(): void
  /** Cuts the connection: whatever is on its way fails. */
  cut(): void
  end(): Promise<void>
}

/** Statements that one connection keeps prepared; the driver itself forgets none. */
const preparedMost = 1_000

export function createClient(driver: Driver, settings: PostgresSettings, counters: StoreCounters): Client {
  let sql: Sql
  let connected = false
  let connecting: Promise<void> | null = null
  let retiring = false
  let inFlight = 0
  let since = performance.now()
  let generation = 0
  let prepared = new Set<string>()

  const lose = (): void => {
    connected = false
    retiring = false
    generation++
    prepared = new Set()
  }
  // A client of the driver that has lost its connection amid statements may hang at making the next: each has but one.
  const open = (): Sql => {
    const mine: Sql = newClient(driver, settings, { onclose: () => mine === sql && cut() })
    return mine
  }
  sql = open()

  const replace = (graceSeconds: number): void => {
    const old = sql
    lose()
    sql = open()
    old.end({ timeout: graceSeconds }).catch(() => {})
  }
  const cut = (): void => replace(0)

  const over = (): void => {
    inFlight--
    since = performance.now()
    if (inFlight === 0 && retiring) retireNow()
  }

  /** Followed without a function that waits: a statement is the whole of most requests. */
  const tracked = <T>(query: PromiseLike<T>): Promise<T> => {
    if (inFlight++ === 0) since = performance.now()
    const mine = sql
    return query.then(
      (result) => {
        if (mine === sql) connected = true
        over()
        return result
      },
      (error: unknown) => {
        over()
        throw error
      },
    ) as Promise<T>
  }

  const retireNow = (): void => {
    if (connected) replace(5)
  }

  /** The driver retries for ever when a proxy accepts and hangs up, so the limit is ours. */
  const connect = async (): Promise<void> => {
    const timer = setTimeout(cut, settings.connectMs + 500)
    try {
      await tracked(unkept(sql.unsafe('SELECT 1')))
    } finally {
      clearTimeout(timer)
      connecting = null
    }
  }

  const keepsPrepared = (text: string): boolean => {
    if (settings.pgbouncer) return false
    if (prepared.has(text)) return true
    if (prepared.size >= preparedMost) {
      retiring = true
      return false
    }
    prepared.add(text)
    counters.prepared++
    return true
  }

  return {
    reserved: false,
    get connected() {
      return connected && !retiring
    },
    get inFlight() {
      return inFlight
    },
    get since() {
      return since
    },
    get generation() {
      return generation
    },
    connect() {
      connecting ??= connect()
      return connecting
    },
    query(text, values) {
      counters.statements++
      // `simple: false`: without values the driver would send the text unprepared.
      const options = { prepare: keepsPrepared(text), simple: false }
      const sent = unkept(sql.unsafe(text, values as Value[], options)).values()
      return tracked(sent) as unknown as Promise<readonly Row[]>
    },
    async command(text) {
      const result = await tracked(unkept(sql.unsafe(text)))
      const last: unknown = Array.isArray(result[0]) ? result.at(-1) : result
      return (last as { readonly command: string }).command
    },
    retire() {
      if (inFlight === 0) retireNow()
      else retiring = true
    },
    cut,
    end: () => sql.end({ timeout: 5 }),
  }
}

/** On an error the driver keeps a statement's text for ever, for a stack trace that it then has not; unless it has one. */
const unkept = <Q>(query: Q): Q => Object.defineProperty(query as object, 'origin', { value: '' }) as Q
