import { keyTable } from '../../plan/keys.ts'
import { StoreError, StoreRefused, type UnavailableReason } from '../store.ts'

interface ServerError extends Error {
  /** SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly code: string
  readonly detail?: string
  readonly table?: string
  readonly constraint?: string
  readonly routine?: string
  /** The source file of the server that raised it: `md.c`. */
  readonly file?: string
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

/** The code of statements whose connection we closed because the server did not answer in time. */
export const silentCode = 'CONNECTION_SILENT'

/** The server did not answer in time. Such a statement is not sent again: it has used up its time. */
export const isSilent = (error: unknown): boolean => codeOf(error) === silentCode

/** The connection is lost, and statements in flight with it. */
export const isBroken = (error: unknown): boolean =>
  brokenCodes.test(codeOf(error)) || /^(08|57P0)/.test(codeOf(error))

/**
 * The server refused the statement and undid its transaction, and a retry may succeed: a serialization failure, a deadlock, a
 * statement prepared before its table changed, a server that has become read-only, a shard that has moved.
 */
export const isRetryable = (error: unknown): boolean => {
  const code = codeOf(error)
  return (
    code === '40001' || code === '40P01' || isForgotten(error) || isReadOnly(error) || isMovedShard(error)
  )
}

/** Citus looked for a shard where it was before it was moved or split. The messages of Citus are not translated. */
const isMovedShard = (error: unknown): boolean => {
  const code = codeOf(error)
  if (code === 'XX000') return /could not find valid entry for shard/.test((error as Error).message)
  return code === '42P01' && /_\d{6,}"? does not exist/.test((error as Error).message)
}

/** The server no longer has the prepared statement, or its result type has changed. */
export const isForgotten = (error: unknown): boolean => {
  const code = codeOf(error)
  if (code !== '0A000' && code !== '26000') return false
  return /^(RevalidateCachedQuery|FetchPreparedStatement)$/.test((error as ServerError).routine ?? '')
}

/** A unique index or primary key refused the row. */
export const isUnique = (error: unknown): boolean => codeOf(error) === '23505'

/**
 * The server has ended the statement because it took too long. On Citus, its session takes no further statement until it has given up its
 * connection to the node that was asked, which may take as long again. A node that refuses connections (08006, told by the server) leaves
 * the session as it is, ready for statements to other nodes.
 */
export const isCancelled = (error: unknown): boolean => codeOf(error) === '57014'

/** After a failover, old connections lead to a server that is read-only. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006'

/**
 * Recovering, out of resources, read-only, shutting down, cancelled, no such role or database any more, an internal error, which is
 * also what most errors of Citus are.
 */
const unavailableStates = /^(08|25006|25P03|28|3D000|40|53|57|58|XX00[012])/
/** Undefined column, undefined table, another type than the statement's, no operator for such types. */
const outdatedStates = /^42(703|P01|804|883)$/
/** Data that does not fit (22), an index entry that is too long (54). */
const outOfRangeStates = /^(22|54)/

/**
 * Source files of the server that read and write files. Their names are no part of its protocol, and nothing else tells these failures apart: by
 * its SQLSTATE alone, a read-only disk would be a missing GRANT, which is 500, and a used-up quota a server that does not answer.
 */
const fileSources = /^(md|fd|buffile|storage|slru|xlog|relmapper)\.c$/

/**
 * The server has no SQLSTATE for most errors of the operating system: a used-up quota is XX000 (internal error), a read-only disk is
 * 42501 (insufficient privilege), as a missing GRANT is.
 */
const isFileFailure = (error: unknown): boolean =>
  /^(XX000|42501)$/.test(codeOf(error)) && fileSources.test((error as ServerError).file ?? '')

function reasonOf(error: ServerError): UnavailableReason | undefined {
  if (error.code === '53100') return 'full'
  if (error.code === '25006' || (error.code === '42501' && isFileFailure(error))) return 'read-only'
  return error.code === '58030' || isFileFailure(error) ? 'disk' : undefined
}

/** The server, or a part of it, does not answer at the moment. */
export const isUnavailable = (error: unknown): boolean => {
  const code = codeOf(error)
  return brokenCodes.test(code) || unavailableStates.test(code) || isMovedShard(error) || isFileFailure(error)
}

/** A database error as a StoreError; any other error is returned as it is. */
export function postgresError(error: unknown): unknown {
  const code = codeOf(error)
  if (code === '' || error instanceof StoreError) return error
  const cause = error as ServerError
  const message = `PostgreSQL: ${cause.message} (${code})${adviceFor(cause)}`
  if (isUnique(error)) return uniqueError(cause, message)
  if (code === '23503') return new StoreError('foreign-key', message, { cause })
  if (code === '55P03') return lockTimeout(cause, message)
  if (/not allowed on this node/.test(cause.message)) return new StoreRefused(message, cause)
  if (isUnavailable(error)) return new StoreError('unavailable', message, { reason: reasonOf(cause), cause })
  if (code === '42501')
    return new StoreRefused(
      `${message}. Have its owner GRANT that to the user of DATABASE_URL, or run nounkit migrate as the owner.`,
      cause,
    )
  if (outdatedStates.test(code)) return new StoreError('outdated', message, { cause })
  if (outOfRangeStates.test(code)) return new StoreError('out-of-range', message, { cause })
  return error
}

/** An error of the server that has no kind here, as a sentence for the person who runs a command. */
export const refusedByServer = (error: unknown): unknown =>
  error instanceof Error && /^[0-9A-Z]{5}$/.test(codeOf(error))
    ? new StoreRefused(`PostgreSQL: ${error.message} (${codeOf(error)}).`, error)
    : error

/** What to do, for the person who reads the message at the command line. */
function adviceFor({ code, message }: ServerError): string {
  if (code === '25006')
    return '. This server is a standby: name the primary in DATABASE_URL, or all hosts with target_session_attrs=primary.'
  if (/not allowed on this node/.test(message))
    return '. Name the coordinator of the cluster in DATABASE_URL.'
  if (/connection to the remote node/.test(message))
    return '. A node of the cluster is down, and this touches it: start the node, or its standby.'
  if (code === '57P03') return '. Wait until the server has started, then try again.'
  return ''
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
