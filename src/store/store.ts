import type { Maybe } from '../maybe.ts'
import type { Dialect } from '../plan/dialect.ts'

/** What can be bound to a statement and read from a row. Times, dates and JSON travel as text, booleans as 0 and 1. */
export type Value = string | number | null
/** A row is an array: statements name their columns by position, so no object is built for one. */
export type Row = readonly Value[]

/** The only I/O of a request. Statements are prepared once per text and kept in a bounded cache. */
export interface Store {
  readonly dialect: Dialect
  /** Reads the first row outside any transaction. */
  first(sql: string, values: readonly Value[]): Maybe<Row | undefined>
  all(sql: string, values: readonly Value[]): Maybe<readonly Row[]>
  /** One writing statement as a transaction of its own, durable when it resolves: how many rows it wrote. */
  writeOne(sql: string, values: readonly Value[]): Promise<number>
  /**
   * Runs `work` as one transaction, durable when it resolves. When it throws, everything it wrote is undone and the error
   * comes out. A store may run it again from the start after a serialization failure or deadlock, so it must not keep state.
   */
  transaction<T>(work: (tx: Transaction) => Maybe<T>): Promise<T>
  /** Resolves when the store answers, else throws a StoreError of kind `unavailable`. */
  ready(): Promise<void>
  /** Lends a connection of its own, without time limits, for migrations and upkeep; never for requests. */
  session<T>(work: (session: Session) => Promise<T>): Promise<T>
  close(): Promise<void>
  readonly counters: StoreCounters
}

export interface Transaction {
  readonly dialect: Dialect
  first(sql: string, values: readonly Value[]): Maybe<Row | undefined>
  all(sql: string, values: readonly Value[]): Maybe<readonly Row[]>
}

/** One connection outside any transaction but those its statements begin. */
export interface Session {
  all(sql: string, values?: readonly Value[]): Promise<readonly Row[]>
  /** Several statements at once, without values. */
  script(sql: string): Promise<void>
}

export interface StoreCounters {
  statements: number
  /** Statement texts prepared so far. */
  prepared: number
  commits: number
  /** Transactions that shared those commits. */
  committed: number
  connections: number
  busyConnections: number
  waiting: number
}

export const newCounters = (): StoreCounters => ({
  statements: 0,
  prepared: 0,
  commits: 0,
  committed: 0,
  connections: 0,
  busyConnections: 0,
  waiting: 0,
})

export type StoreErrorKind =
  /** A unique index refused; `columns` says which (without account_id). */
  | 'unique'
  /** A row that is named does not exist, or one that is deleted is still named. */
  | 'foreign-key'
  /** A number or text that a column cannot hold. */
  | 'out-of-range'
  /** Another transaction held a row for too long. */
  | 'lock-timeout'
  /** A table or column that the statement names is not there, or is of another type: the store was migrated past this process. */
  | 'outdated'
  /** Unreachable, busy, full, read-only, restarting, cancelled: try again later. */
  | 'unavailable'

/** A driver's error in the store's own words. `message` is for logs, never for consumers. */
export class StoreError extends Error {
  readonly kind: StoreErrorKind
  readonly table: string | null
  readonly columns: readonly string[]

  constructor(
    kind: StoreErrorKind,
    message: string,
    details: { table?: string; columns?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause })
    this.name = 'StoreError'
    this.kind = kind
    this.table = details.table ?? null
    this.columns = details.columns ?? []
  }
}

/** A store that cannot be used at all, said to the person who starts the service: what, where, what to do. */
export class StoreRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreRefused'
  }
}

/** The store was migrated past this declaration: only a newer release can use it, so starting again does not help. */
export class StoreOutdated extends StoreRefused {
  constructor(message: string) {
    super(message)
    this.name = 'StoreOutdated'
  }
}
