import { createHash, hash } from 'node:crypto'
import type { Call, Outcome } from '../call/call.ts'
import type { Caller } from '../call/caller.ts'
import { etagOf, versionIn } from '../call/etag.ts'
import type { PlainRequest } from '../call/exchange.ts'
import { mayKnow } from '../call/grants.ts'
import { readRights } from '../call/read-rights.ts'
import { pathOf, type Target } from '../call/target.ts'
import type { JsonObject } from '../compile/schemas/canonical.ts'
import { idempotencyKeyPattern } from '../kinds/text-patterns.ts'
import { problem } from '../problems.ts'
import type { Value } from '../store/store.ts'
import { hourMs } from '../times.ts'
import type { Writer } from './writer.ts'

/** The Idempotency-Key of a create, and the fingerprint of the request it was sent with. */
export interface KeyedRequest {
  /** The stored form: what the caller sent, followed by the caller's subject (`keyInRequest`). */
  readonly key: string
  readonly fingerprint: string
  /** Called when the key's row is inserted, where hooks still have to run before the create ends. */
  claimed?(): void
  /** Called when that insert is rolled back. */
  released?(): void
}

const keyForm = new RegExp(idempotencyKeyPattern)

/** The key that the header names; the bare and the quoted form of one key are one key. */
export function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  // Two headers of this name arrive as one text, joined by a comma and a space, which the pattern does not match.
  if (typeof header === 'string' && keyForm.test(header))
    return header.startsWith('"') ? header.slice(1, -1).replace(/\\(["\\])/g, '$1') : header
  throw problem('idempotency-key-malformed', {
    detail:
      'Idempotency-Key must be one header of 1 to 255 visible ASCII characters, bare or in double quotes.',
    errors: [{ header: 'Idempotency-Key', detail: 'is malformed', code: 'syntax' }],
  })
}

/**
 * The key of a caller, as it is stored. A key belongs to the account and the subject, so the subject is a part of it; a caller
 * without one has the keys of the account. What callers send has no space, so the first space begins the subject.
 */
const keyInRequest = (sent: string, subject: string | null): string =>
  subject === null ? sent : `${sent} ${subject}`

/**
 * Method, version, path and body by value: key order, whitespace and the way numbers and characters are written do not matter. Callers without
 * a subject share the keys of their account. Where a rule shows them different rows, the request of one is not that of another, or a replay
 * would show a row that its caller may not read.
 */
export function fingerprintOf({ target, caller }: Call, body: JsonObject): string {
  const rights = caller.subject === null ? rightsToRead(target, caller) : ''
  return hash('sha256', `POST ${pathOf(target)}${rights}\n${canonicalBody(body)}`, 'base64url')
}

/** What the caller may read of the new row, of the owner in its path, and of the rows that it can refer to. */
function rightsToRead({ view, sub }: Target, caller: Caller): string {
  const referred = [...view.relations.values()].filter(({ relation }) => relation.kind === 'belongs-to')
  const views = [view, ...(sub ? [sub.owner()] : []), ...referred.map(({ target }) => target())]
  return views.map((one) => readRights(one, caller)).join('')
}

/** JSON with the keys of every object sorted. Numbers are written by JavaScript, so that one beyond all doubles is not null. */
export function canonicalBody(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalBody).join(',')}]`
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalBody(part)}`).join(',')}}`
}

/** The key that hooks pass on to other services: the same for every retry. The caller's own key cannot be read from it. Rows of a list have one each, by their index. */
export const derivedKey = (account: string, keyed: KeyedRequest, index: number | null = null): string =>
  createHash('sha256')
    .update(`${account}\0${keyed.key}\0${keyed.fingerprint}${index === null ? '' : `\0${index}`}`)
    .digest('base64url')

export const keyReused = (): Error =>
  problem('idempotency-key-reused', {
    detail:
      'This Idempotency-Key was used for a request with another path, version or body, or by a caller who may read other rows.',
    errors: [{ header: 'Idempotency-Key', detail: 'belongs to another request', code: 'reused' }],
  })

export const stillRunning = (): Error =>
  problem('idempotency-in-progress', {
    detail: 'The first request with this Idempotency-Key has not finished yet.',
    headers: { 'Retry-After': '1' },
  })

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
async function findAnswer(writer: Writer, account: string, key: string): Promise<StoredAnswer | null> {
  const row = await writer.keys.find(account, key)
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
export async function findReplay(writer: Writer, call: Call, keyed: KeyedRequest): Promise<Outcome | null> {
  const answer = await findAnswer(writer, call.caller.account, keyed.key)
  if (!answer) return null
  if (answer.expiresAt <= writer.now()) {
    await writer.keys.forgetExpired(call.caller.account, keyed.key, writer.now())
    return null
  }
  if (answer.fingerprint !== keyed.fingerprint) throw keyReused()
  // The code of a noun runs, here or in another process: it has claimed the key, and has not answered yet.
  if (answer.etag === null && answer.body === null) throw stillRunning()
  const stored = {
    status: answer.status,
    etag: answer.etag ?? '',
    location: answer.location ?? '',
    replayed: true,
  }
  if (answer.body !== null) return { ...stored, ...shownAnswer(call, answer.body, stored.etag) }
  if (answer.location === null)
    return { ...stored, body: await rereadList(writer, call, answer), reread: true }
  const now = await writer.reread({ ...call, target: { ...call.target, id: answer.rowId } })
  return { ...stored, body: now.body, ...(now.etag ? { etag: now.etag } : {}), reread: true }
}

/** The rows of a list as they are now, in the order in which they were created. */
async function rereadList(writer: Writer, call: Call, { rowId }: StoredAnswer): Promise<string> {
  const texts: string[] = []
  for (const id of rowId.split(' ')) {
    const { body } = await writer.reread({ ...call, target: { ...call.target, id } })
    texts.push((body ?? '').slice('{"data":'.length, -1))
  }
  return `{"data":[${texts.join(',')}]}`
}

/** A caller that lost a scope since the first request, or never had it, gets the stored answer without the fields that need the scope. */
function shownAnswer({ target, caller }: Call, body: string, etag: string): { body: string; etag: string } {
  const hidden = target.view.fields.filter((field) => !mayKnow(field, caller.scopes))
  if (hidden.length === 0) return { body, etag }
  type Row = { [field: string]: unknown }
  const { data } = JSON.parse(body) as { data: Row | Row[] }
  for (const row of [data].flat()) for (const { name } of hidden) delete row[name]
  if (Array.isArray(data)) return { body: JSON.stringify({ data }), etag }
  const version = versionIn(etag.slice(1, -1))
  return { body: JSON.stringify({ data }), etag: etagOf(target.view, version, caller.scopes) }
}

/** The row of a key, as values in the order of the columns that `keyRow` binds. */
export function keyValues(
  writer: Writer,
  keyed: KeyedRequest,
  rowId: string,
  location: string | null,
  body: string | null,
  etag: string | null,
): Value[] {
  return [keyed.key, keyed.fingerprint, location, rowId, ...keptFromNow(writer), body, etag]
}

/** When a key is completed, and when it expires. */
function keptFromNow({ now, model }: Writer): [completedAt: number, expiresAt: number] {
  const completedAt = now()
  return [completedAt, completedAt + model.limits.idempotencyHours * hourMs]
}

/** The values that complete a claimed key, in the same transaction as the row. Hooks may have run since it was claimed. */
export const answerValues = (writer: Writer, body: string | null, etag: string): Value[] => [
  body,
  etag,
  ...keptFromNow(writer),
]

/** The Idempotency-Key of a create, which the resource requires, allows or ignores. */
export function readKeyed(request: PlainRequest, call: Call, body: JsonObject): KeyedRequest | null {
  const { target, caller } = call
  const { mode } = target.view.idempotency
  if (mode === 'off') return null
  const sent = readKey(request.headers['idempotency-key'])
  if (sent !== null)
    return { key: keyInRequest(sent, caller.subject), fingerprint: fingerprintOf(call, body) }
  if (mode === 'optional') return null
  throw problem('idempotency-key-missing', {
    detail: `Creating ${target.view.name} needs an Idempotency-Key header.`,
    errors: [{ header: 'Idempotency-Key', detail: 'is required', code: 'required' }],
  })
}
