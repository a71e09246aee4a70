import { createHash, hash } from 'node:crypto'
import type { Maybe } from '../maybe.ts'
import { type Dialect, ident } from '../plan/dialect.ts'
import { insertKey, keyTable } from '../plan/mutate.ts'
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
  /** Told once the store has given it the key, where more is to be done before the end. */
  claimed?(): void
}

/** 1 to 255 visible ASCII characters, bare or as a quoted structured string; two forms of one key are one key. */
export function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[\x21\x23-\x7e][\x21-\x7e]{0,254}$/.test(header)) return header
  // Two headers of this name come as one text, with a comma and a space between: that is no key, even if one of them is empty.
  const text = typeof header === 'string' ? header : ''
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
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  const flat = flatInOrder(value as JsonObject, keys)
  if (flat) return JSON.stringify(flat)
  let text = ''
  for (const key of keys)
    text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${canonicalJson((value as JsonObject)[key])}`
  return `${text}}`
}

/**
 * The same object with its keys in order, which one call can write; null where it has others in it, or keys that an object
 * would put in an order of its own (numbers, which come before a colon) or take for something else.
 */
function flatInOrder(value: JsonObject, keys: readonly string[]): JsonObject | null {
  const flat: { [key: string]: unknown } = {}
  for (const key of keys) {
    const part = value[key]
    if ((typeof part === 'object' && part !== null) || key < ':' || key === '__proto__') return null
    // JSON has no word for a number past all numbers, and would write null.
    if (part === Number.POSITIVE_INFINITY || part === Number.NEGATIVE_INFINITY) return null
    flat[key] = part
  }
  return flat
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
  /** Binds the account and `keyColumns`. Writes one row, or none when the key exists. */
  readonly claim: string
  readonly release: string
  readonly complete: string
}

const made = new WeakMap<Dialect, KeyStatements>()

function statementsFor(dialect: Dialect): KeyStatements {
  const known = made.get(dialect)
  if (known) return known
  const table = ident(keyTable)
  const where = `"account_id" = ${dialect.param(1, 'id')} AND "key" = ${dialect.param(2, 'string')}`
  const statements: KeyStatements = {
    find: `SELECT "fingerprint", "status", "body", "location", "etag", "row_id", "expires_at" FROM ${table} WHERE ${where}`,
    forget: `DELETE FROM ${table} WHERE ${where} AND "expires_at" <= ${dialect.param(3, 'integer')}`,
    claim: insertKey(dialect.param(1, 'id'), (index, kind) => dialect.param(index + 2, kind)),
    release: `DELETE FROM ${table} WHERE ${where}`,
    complete: `UPDATE ${table} SET "body" = ${dialect.param(3, 'string')}, "etag" = ${dialect.param(4, 'string')}, "completed_at" = ${dialect.param(5, 'integer')}, "expires_at" = ${dialect.param(6, 'integer')} WHERE ${where} RETURNING 1`,
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

/** What is stored for a key, in the order of `keyColumns`. */
export function keyValues(
  runner: Runner,
  keyed: KeyedRequest,
  rowId: string,
  location: string,
  body: string | null,
): Value[] {
  return [keyed.key, keyed.fingerprint, location, rowId, ...keptFromNow(runner), body]
}

/** When a key is completed, and when it expires. */
function keptFromNow({ now, model }: Runner): [completedAt: number, expiresAt: number] {
  const completedAt = now()
  return [completedAt, completedAt + model.limits.idempotencyHours * 3_600_000]
}

/** Takes the key for this transaction; undefined when another has it. A caller in another process waits here. */
export const claimKey = (
  tx: Transaction,
  account: string,
  values: readonly Value[],
): Maybe<Row | undefined> => tx.first(`${statementsFor(tx.dialect).claim} RETURNING 1`, [account, ...values])

/** The same at once: whether the key was free. */
export const claimKeyNow = (tx: PromptTransaction, account: string, values: readonly Value[]): boolean =>
  tx.write(statementsFor(tx.dialect).claim, [account, ...values]) === 1

/** Gives back a key that this transaction has claimed. */
export function releaseKey(tx: PromptTransaction, account: string, key: string): void {
  tx.write(statementsFor(tx.dialect).release, [account, key])
}

/** Completes a claimed key with the answer, in the same transaction as the row. Hooks may have run since it was claimed. */
export async function storeAnswer(
  runner: Runner,
  tx: Transaction,
  account: string,
  key: string,
  body: string | null,
  etag: string,
): Promise<void> {
  const values = [account, key, body, etag, ...keptFromNow(runner)]
  await tx.first(statementsFor(tx.dialect).complete, values)
}
