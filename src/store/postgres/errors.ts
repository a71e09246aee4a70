import { keyTable } from '../../plan/keys.ts'
import { StoreError, StoreRefused } from '../store.ts'

interface ServerError extends Error {
  /** SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly code: string
  readonly detail?: string
  readonly table?: string
  readonly constraint?: string
  readonly routine?: string
  /** What the server was doing: `while inserting index tuple (0,4) in relation "orders"`. */
  readonly where?: string
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Gives the driver's own errors a code, as those of the server and the operating system have. */
export function coded(error: Error, otherwise?: string): Error {
  if ('code' in error && error.code !== undefined) return error
  const code = ownErrors.find(([message]) => message.test(error.message))?.[1] ?? otherwise
  return code ? Object.assign(error, { code }) : error
}

const ownErrors: readonly (readonly [message: RegExp, code: string])[] = [
  [/^timeout expired$/, 'CONNECT_TIMEOUT'],
  [/^SASL:/, 'SASL_FAILED'],
  [/^Unknown authenticationOk message type/, 'CONNECTION_LOGIN_UNKNOWN'],
  [/^(Connection terminated|Client (has encountered|was closed))/, 'CONNECTION_CLOSED'],
  [/^The server does not support SSL connections$/, 'CONNECTION_WITHOUT_TLS'],
  [/^There was an error establishing an SSL connection$/, 'CONNECTION_CLOSED'],
]

/** Codes for a connection that could not be opened or was lost: ours for the driver's errors, and the operating system's. */
const brokenCodes =
  /^(CONNECTION_|CONNECT_TIMEOUT|E(CONN|PIPE|TIMEDOUT|NOTFOUND|AI_|HOST|NET|ADDR|MFILE|NFILE|NOENT|PROTO)|ERR_(SSL|TLS|SOCKET)|SASL_)/

/** The connection is lost, and statements in flight with it. */
export const isBroken = (error: unknown): boolean =>
  brokenCodes.test(codeOf(error)) || /^(08|57P0)/.test(codeOf(error))

/** A serialization failure, a deadlock, or a statement prepared before its table changed: a retry may succeed. */
export const isRetryable = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === '40001' || code === '40P01' || isForgotten(error)
}

/** The server no longer has the prepared statement, or its result type has changed. */
export const isForgotten = (error: unknown): boolean => {
  const code = codeOf(error)
  if (code !== '0A000' && code !== '26000') return false
  return /^(RevalidateCachedQuery|FetchPreparedStatement)$/.test((error as ServerError).routine ?? '')
}

/** After a failover, old connections lead to a server that is read-only. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006'

/** Recovering, out of resources, read-only, shutting down, cancelled, no such role or database any more. */
const unavailableStates = /^(08|25006|25P03|28|3D000|40|53|57|58|XX00[12])/
/** Undefined column, undefined table, another type than the statement's, no operator for such types. */
const outdatedStates = /^42(703|P01|804|883)$/
/** Data that does not fit (22), an index entry that is too long (54). */
const outOfRangeStates = /^(22|54)/

/** A database error as a StoreError; any other error is returned as it is. */
export function postgresError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === '' || error instanceof StoreError) return error
  const cause = error as ServerError
  const message = `PostgreSQL: ${cause.message} (${code})`
  if (code === '23505') return uniqueError(cause, message)
  if (code === '23503') return new StoreError('foreign-key', message, { cause })
  if (code === '55P03') return lockTimeout(cause, message)
  if (brokenCodes.test(code) || unavailableStates.test(code))
    return new StoreError('unavailable', message, { cause })
  if (code === '42501')
    return new StoreRefused(
      `${message}. Have its owner GRANT that to the user of DATABASE_URL, or run nounkit migrate as the owner.`,
      cause,
    )
  if (outdatedStates.test(code)) return new StoreError('outdated', message, { cause })
  if (outOfRangeStates.test(code)) return new StoreError('out-of-range', message, { cause })
  return error
}

/**
 * `table` is set for the table of Idempotency-Keys only, because no caller needs others. The text around the name depends on the
 * server's language, and on Citus a shard number follows the name, so it is searched for the name alone.
 */
function lockTimeout(cause: ServerError, message: string): StoreError {
  const forKey = cause.where?.includes(keyTable)
  return new StoreError('lock-timeout', message, { ...(forKey && { table: keyTable }), cause })
}

/**
 * The detail lists the columns in every language (`(account_id, email)=(…)`); without a detail the index name has them.
 * On Citus a shard number follows the names of tables and indexes.
 */
function uniqueError(cause: ServerError, message: string): StoreError {
  const [ownTable, ...parts] = (cause.constraint ?? '').split('__')
  const table = parts.length > 0 ? ownTable : cause.table
  const listed = /\(([^()]*)\)=\(/.exec(cause.detail ?? '')?.[1]?.split(', ')
  const named = listed?.map((name) => name.replaceAll('"', '')) ?? parts.slice(0, -1)
  const columns = named.filter((column) => column !== 'account_id')
  return new StoreError('unique', message, { ...(table && { table }), columns, cause })
}
