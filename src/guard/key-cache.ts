import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Maybe } from '../maybe.ts'
import type { Caller } from '../request/caller.ts'
import type { StoredKey } from './key-rows.ts'

/** A checked key is believed for `freshMs`, used while it is checked again until `staleMs`, and not after: so long may a revocation take. */
const freshMs = 1_000
const staleMs = 2_000
const maxKnown = 20_000
const maxUnknown = 1_000

export type KeyVerdict = Caller | 'unknown' | 'revoked' | 'expired'

/** What the store said of a key, and when it was asked. */
export interface KnownKey {
  readonly hash: Buffer
  readonly key: StoredKey | null
  readonly caller: Caller | null
  /** On the monotonic clock, before the store was asked. */
  readonly checkedAt: number
}

export interface KeyCache {
  /** What is known without asking the store; null when it must be asked. */
  peek(digest: string): KeyVerdict | null
  find(digest: string): KnownKey | null
  /** The caller whose key it is, while the store need not be asked again. */
  believed(key: KnownKey): Caller | null
  /** Asks the store. */
  load(digest: string): Maybe<KeyVerdict>
}

/** Keys by their hash, so that a call costs a hash and a look-up in memory, and memory stays bounded whatever is sent. */
export const createKeyCache = (
  find: (hash: string) => Maybe<StoredKey | undefined>,
  clock: Clock,
  monotonic: () => number = () => performance.now(),
): KeyCache => {
  const known = new Map<string, KnownKey>()
  const unknown = new Map<string, KnownKey>()
  const loading = new Map<string, Promise<KeyVerdict>>()
  const scratch = Buffer.alloc(64)

  const verdictOf = ({ key, caller }: KnownKey): KeyVerdict => {
    if (key === null || caller === null) return 'unknown'
    if (key.revokedAt !== null) return 'revoked'
    return key.expiresAt !== null && clock.now() >= key.expiresAt ? 'expired' : caller
  }

  const keep = (digest: string, key: StoredKey | null, checkedAt: number): KeyVerdict => {
    const slot = slotOf(digest)
    const entry = { hash: Buffer.from(digest, 'latin1'), key, caller: key && callerOf(key), checkedAt }
    unknown.delete(slot)
    // Deleted first, so that the order of the map is the order of use.
    known.delete(slot)
    if (key) put(known, slot, entry, maxKnown)
    else put(unknown, slot, entry, maxUnknown)
    return verdictOf(entry)
  }

  const load = (digest: string): Maybe<KeyVerdict> => {
    const running = loading.get(digest)
    if (running) return running
    const startedAt = monotonic()
    const found = find(digest)
    if (!(found instanceof Promise)) return keep(digest, found ?? null, startedAt)
    const loaded = found
      .then((key) => keep(digest, key ?? null, startedAt))
      .finally(() => loading.delete(digest))
    loading.set(digest, loaded)
    return loaded
  }

  const findKnown = (digest: string): KnownKey | null => {
    const slot = slotOf(digest)
    const entry = known.get(slot) ?? unknown.get(slot)
    if (!entry) return null
    scratch.write(digest, 'latin1')
    return timingSafeEqual(scratch, entry.hash) ? entry : null
  }

  const believed = (entry: KnownKey): Caller | null => {
    if (monotonic() - entry.checkedAt >= freshMs) return null
    const verdict = verdictOf(entry)
    return typeof verdict === 'string' ? null : verdict
  }

  const peek = (digest: string): KeyVerdict | null => {
    const entry = findKnown(digest)
    if (!entry) return null
    const age = monotonic() - entry.checkedAt
    if (age < freshMs) return verdictOf(entry)
    if (age >= staleMs || entry.key === null) return null
    const reloaded = load(digest)
    if (!(reloaded instanceof Promise)) return reloaded
    // A store that is away lets the entry grow stale; the call after that waits for it and says so.
    reloaded.catch(() => {})
    return verdictOf(entry)
  }

  return { peek, find: findKnown, believed, load }
}

/** The look-up sees a part of the hash only; the whole is compared in constant time. */
const slotOf = (digest: string): string => digest.slice(0, 16)

const put = (map: Map<string, KnownKey>, slot: string, entry: KnownKey, limit: number): void => {
  map.set(slot, entry)
  if (map.size > limit) for (const [oldest] of map.entries().take(1)) map.delete(oldest)
}

const callerOf = (key: StoredKey): Caller => ({
  account: key.account,
  consumer: { id: key.id, name: key.name, kind: key.kind },
  scopes: new Set(key.scopes),
})
