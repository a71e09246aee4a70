import type { Maybe } from '../maybe.ts'
import type { Dialect } from '../plan/dialect.ts'

/** A value bound to a statement or read from a row. Times, dates and JSON are text, booleans 0 and 1. */
export type Value = string | number | null
/** Values in the order of the statement's columns. An array costs less than an object with names. */
export type Row = readonly Value[]

/**
 * The only I/O of a request. Statements are prepared once per text and kept in a bounded cache. `account` is the one whose rows a
 * statement touches, and '' stands for shared rows: a store with several connections or machines keeps statements that are stuck from
 * holding up other accounts. For rows that are distributed by something else than the account, it is that value.
 */
export interface Store {
  readonly dialect: Dialect
  /** Reads the first row outside any transaction. */
  first(sql: string, values: readonly Value[], account?: string): Maybe<Row | undefined>
  all(sql: string, values: readonly Value[], account?: string): Maybe<readonly Row[]>
  /** Runs one writing statement as a transaction of its own. Resolves, once it is durable, with the number of rows written. */
  writeOne(sql: string, values: readonly Value[], account?: string): Promise<number>
  /**
   * Runs a few writing statements as a transaction of their own, without the cost of an interactive one. Resolves, once they are
   * durable, with whether they wrote anything. Null where one query inserts a row along with its key and what tells of it.
   */
  readonly writeClaimed: ((writes: ClaimedWrite, account?: string) => Promise<boolean>) | null
  /**
   * Runs `work` as one transaction, durable when it resolves. When `work` throws, the transaction is rolled back and the error
   * is thrown on. A store may run `work` again after a serialization failure or deadlock, so `work` must not keep state.
   */
  transaction<T>(work: (tx: Transaction) => Maybe<T>, account?: string): Promise<T>
  /**
   * Resolves when the store answers, else throws a StoreError of kind `unavailable`. A store that is spread over several machines
   * says which of them answer; any other resolves with an empty list.
   */
  ready(): Promise<readonly NodeState[]>
  /** Opens a connection of its own, without time limits, for migrations and maintenance; never for requests. */
  session<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Reads rows of a table from the machines that answer. Null where the store is not spread over several. */
  readonly allReachable: ((read: TableRead) => Promise<ReachableRows>) | null
  /** Tells the planner of the database how large tables are. Null where the database does that by itself. */
  readonly refreshStatistics: (() => Promise<void>) | null
  close(): Promise<void>
  readonly counters: StoreCounters
}

/** The rows of a table in which these columns have these values. */
export interface TableRead {
  readonly table: string
  /** SQL of what is selected. */
  readonly columns: readonly string[]
  readonly equal: { readonly [column: string]: string }
}

export interface ReachableRows {
  readonly rows: readonly Row[]
  /** The machines that did not answer. */
  readonly away: readonly string[]
}

/** A writing statement with its values. */
export interface Write {
  readonly sql: string
  readonly values: readonly Value[]
}

/** Writes of which all happen or none. */
export interface ClaimedWrite {
  /** Inserts a row; when the row exists, which the dialect's `insertsAlong` says how to tell, nothing else is written. */
  readonly claim?: Write
  readonly write: Write
  /** Deletes the row that `claim` has inserted, when `write` fails. */
  readonly release?: Write
  /** Written last. Only a store that is unavailable refuses them. */
  readonly also?: readonly Write[]
}

export interface Transaction {
  readonly dialect: Dialect
  first(sql: string, values: readonly Value[]): Maybe<Row | undefined>
  all(sql: string, values: readonly Value[]): Maybe<readonly Row[]>
}

/** One connection. Its statements begin and end transactions themselves. */
export interface Session {
  all(sql: string, values?: readonly Value[]): Promise<readonly Row[]>
  /** Several statements at once, without values. */
  script(sql: string): Promise<void>
}

/** A nullable column of a row, as text. */
export const textOrNull = (value: Value | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

/** A nullable column of a row, as a number. */
export const numberOrNull = (value: Value | undefined): number | null =>
  value === null || value === undefined ? null : Number(value)

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
  /** By server, where the store has servers. */
  nodes: readonly NodeCounters[]
}

/** The statements of one server. */
export interface NodeCounters {
  readonly node: string
  readonly statements: number
  /** Statements that failed because the server was not available. */
  readonly errors: number
  /** Statements of accounts on this node that wait for a connection. */
  readonly waiting: number
}

/** One machine of a store that is spread over several. */
export interface NodeState {
  readonly node: string
  readonly isReady: boolean
}

export const newCounters = (): StoreCounters => ({
  statements: 0,
  prepared: 0,
  commits: 0,
  committed: 0,
  connections: 0,
  busyConnections: 0,
  waiting: 0,
  nodes: [],
})

export type StoreErrorKind =
  /** A unique index refused the row; `columns` are those of the index, without account_id. */
  | 'unique'
  /** A referenced row does not exist, or a deleted row is still referenced. */
  | 'foreign-key'
  /** A number or text that a column cannot hold. */
  | 'out-of-range'
  /** Another transaction held a row lock for too long. */
  | 'lock-timeout'
  /** A table or column of the statement does not exist, or has another type: the store was migrated after this process started. */
  | 'outdated'
  /** Unreachable, busy, full, read-only, restarting, cancelled: try again later. */
  | 'unavailable'

/** Why a store takes no writes, where it is known: its disk is full, its disk fails, or it can only be read. */
export type UnavailableReason = 'full' | 'disk' | 'read-only'

interface StoreErrorDetails {
  readonly table?: string
  readonly columns?: readonly string[]
  readonly reason?: UnavailableReason | undefined
  readonly cause?: unknown
}

/** An error of the database, with a kind that is the same for all databases. `message` is for logs, never for consumers. */
export class StoreError extends Error {
  readonly kind: StoreErrorKind
  readonly table: string | null
  readonly columns: readonly string[]
  /** Set for errors of kind `unavailable` only. */
  readonly reason: UnavailableReason | null

  constructor(kind: StoreErrorKind, message: string, details: StoreErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'StoreError'
    this.kind = kind
    this.table = details.table ?? null
    this.columns = details.columns ?? []
    this.reason = details.reason ?? null
  }
}

/** The store cannot be used at all. The message tells the person who starts the service what, where, and what to do. */
export class StoreRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreRefused'
  }
}

/** The store was migrated by a newer release, which alone can use it: a restart does not help. */
export class StoreOutdated extends StoreRefused {
  constructor(message: string) {
    super(message)
    this.name = 'StoreOutdated'
  }
}
