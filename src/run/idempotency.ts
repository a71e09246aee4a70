import { createHash, hash } from 'node:crypto'
import type { Maybe } from '../maybe.ts'
import type { Dialect } from '../plan/dialect.ts'
import { keyColumns } from '../plan/mutate.ts'
import { problem } from '../problems.ts'
import type { JsonObject } from '../request/json.ts'
import { plainOne } from '../request/query.ts'
import type { Target } from '../request/route.ts'
import type { PromptTransaction, Row, Transaction, Value } from '../store/store.ts'
import { pathOf, readOne } from './read.ts'
import type { Call, Outcome, Runner } from './run.ts'

/** A create's Idempotency-Key with what it was sent for. */
export interface KeyedRequest {
  readonly key: string
  readonly fingerprint: string
}

/** Stored beside each fingerprint, so that a later way of making them still honours keys made by this one. */
export const fingerprintVersion = 1

/** 1 to 255 visible ASCII characters, bare or as a quoted structured string; two forms of one key are one key. */
export function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const text = typeof header === 'string' ? header.trim() : ''
  const quoted = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(text)
  const key = quoted ? (quoted[1] ?? '').replace(/\\(["\\])/g, '$1') : text
  if (/^[\x21-\x7e]{1,255}$/.test(key) && (quoted || !text.startsWith('"'))) return key
  throw problem('idempotency-key-malformed', {
    detail:
      'Idempotency-Key must be one header of 1 to 255 visible ASCII characters, bare or in double quotes.',
    errors: [{ header: 'Idempotency-Key', detail: 'is malformed', code: 'syntax' }],
  })
}

/** Method, version, path and body by value: key order, whitespace and the way numbers and characters are written do not matter. */
export function fingerprintOf(target: Target, body: JsonObject): string {
  return hash('sha256', `POST ${pathOf(target)}\n${canonicalJson(body)}`, 'base64url')
}

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(Object.is(value, -0) ? 0 : value)
  let text = ''
  for (const key of Object.keys(value).sort())
    text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${canonicalJson((value as JsonObject)[key])}`
  return text === '' ? '{}' : `${text}}`
}

/** What hooks pass on to other services: stable over retries, and telling nothing of the key itself. */
export const derivedKey = (account: string, keyed: KeyedRequest): string =>
  createHash('sha256').update(`${account}\0${keyed.key}\0${keyed.fingerprint}`).digest('base64url')

export const keyReused = (): Error =>
  problem('idempotency-key-reused', {
    detail: 'This Idempotency-Key was used for a request with another path, version or body.',
    errors: [{ header: 'Idempotency-Key', detail: 'belongs to another request', code: 'reused' }],
  })

export const stillRunning = (): Error =>
  problem('idempotency-in-progress', {
    detail: 'The first request with this Idempotency-Key has not finished yet.',
    headers: { 'Retry-After': '1' },
  })

interface KeyStatements {
  readonly find: string
  readonly forget: string
  /** Binds the account, `keyColumns`, and the body. Writes one row, or none when the key exists. */
  readonly claim: string
  readonly release: string
  readonly complete: string
}

const integers: ReadonlySet<string> = new Set(['fingerprint_version', 'status', 'completed_at', 'expires_at'])
const made = new WeakMap<Dialect, KeyStatements>()

function statementsFor(dialect: Dialect): KeyStatements {
  const known = made.get(dialect)
  if (known) return known
  const table = '"nounkit_idempotency"'
  const where = `"account_id" = ${dialect.param(1, 'id')} AND "key" = ${dialect.param(2, 'string')}`
  const columns = ['account_id', ...keyColumns, 'body']
  const params = columns.map((name, index) =>
    dialect.param(index + 1, integers.has(name) ? 'integer' : 'string'),
  )
  const statements: KeyStatements = {
    find: `SELECT "fingerprint", "status", "body", "location", "etag", "row_id", "expires_at" FROM ${table} WHERE ${where}`,
    forget: `DELETE FROM ${table} WHERE ${where} AND "expires_at" <= ${dialect.param(3, 'integer')} RETURNING 1`,
    claim: `INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${params.join(', ')}) ON CONFLICT DO NOTHING`,
    release: `DELETE FROM ${table} WHERE ${where}`,
    complete: `UPDATE ${table} SET "body" = ${dialect.param(3, 'string')}, "etag" = ${dialect.param(4, 'string')} WHERE ${where} RETURNING 1`,
  }
  made.set(dialect, statements)
  return statements
}

interface StoredAnswer {
  readonly fingerprint: string
  readonly status: number
  readonly body: string | null
  readonly location: string | null
  readonly etag: string | null
  readonly rowId: string
  readonly expiresAt: number
}

/** The answer stored under a key, expired or not. */
async function findAnswer(runner: Runner, account: string, key: string): Promise<StoredAnswer | null> {
  const row: Row | undefined = await runner.store.first(statementsFor(runner.store.dialect).find, [
    account,
    key,
  ])
  if (!row) return null
  const [fingerprint, status, body, location, etag, rowId, expiresAt] = row
  return {
    fingerprint: String(fingerprint),
    status: Number(status),
    body: body as string | null,
    location: location as string | null,
    etag: etag as string | null,
    rowId: String(rowId),
    expiresAt: Number(expiresAt),
  }
}

/** The replay of an earlier success, or null when the key is free. Retention is checked here, not by the sweeper. */
export async function findReplay(runner: Runner, call: Call, keyed: KeyedRequest): Promise<Outcome | null> {
  const answer = await findAnswer(runner, call.caller.account, keyed.key)
  if (!answer) return null
  if (answer.expiresAt <= runner.now()) {
    await forgetExpired(runner, call.caller.account, keyed.key)
    return null
  }
  if (answer.fingerprint !== keyed.fingerprint) throw keyReused()
  const stored = {
    status: answer.status,
    etag: answer.etag ?? '',
    location: answer.location ?? '',
    replayed: true,
  }
  if (answer.body !== null) return { ...stored, body: answer.body }
  const now = await readOne(runner, { ...call, target: { ...call.target, id: answer.rowId } }, plainOne)
  return { ...stored, body: now.body, ...(now.etag ? { etag: now.etag } : {}), reread: true }
}

async function forgetExpired({ store, now }: Runner, account: string, key: string): Promise<void> {
  await store.writeOne(statementsFor(store.dialect).forget, [account, key, now()])
}

/** What is stored beside the body, in the order of `keyColumns`. */
export function keyValues(
  runner: Runner,
  call: Call,
  keyed: KeyedRequest,
  rowId: string,
  location: string,
): Value[] {
  const now = runner.now()
  const values: { readonly [C in (typeof keyColumns)[number]]: Value } = {
    key: keyed.key,
    fingerprint: keyed.fingerprint,
    fingerprint_version: fingerprintVersion,
    status: 201,
    content_type: 'application/json',
    location,
    etag: '"1"',
    resource: call.target.view.resource.name,
    row_id: rowId,
    version_name: call.target.version.name,
    completed_at: now,
    expires_at: now + runner.model.limits.idempotencyHours * 3_600_000,
  }
  return keyColumns.map((column) => values[column])
}

/** Takes the key for this transaction; undefined when another has it. A caller in another process waits here. */
export const claimKey = (
  tx: Transaction,
  account: string,
  values: readonly Value[],
  body: string | null,
): Maybe<Row | undefined> =>
  tx.first(`${statementsFor(tx.dialect).claim} RETURNING 1`, [account, ...values, body])

/** The same at once: whether the key was free. */
export const claimKeyNow = (
  tx: PromptTransaction,
  account: string,
  values: readonly Value[],
  body: string | null,
): boolean => tx.write(statementsFor(tx.dialect).claim, [account, ...values, body]) === 1

/** Gives back a key that this transaction has claimed. */
export function releaseKey(tx: PromptTransaction, account: string, key: string): void {
  tx.write(statementsFor(tx.dialect).release, [account, key])
}

/** Completes a claimed key with the answer, in the same transaction as the row. */
export async function storeAnswer(
  tx: Transaction,
  account: string,
  key: string,
  body: string | null,
  etag: string,
): Promise<void> {
  await tx.first(statementsFor(tx.dialect).complete, [account, key, body, etag])
}
