import { timingSafeEqual } from 'node:crypto'
import type { Caller } from '../call/caller.ts'
import type { Clock } from '../clock.ts'
import type { Maybe } from '../maybe.ts'
import type { StoredKey } from './key-rows.ts'

/** An entry is used without asking the store while it is younger than this. */
const freshMs = 1_000
/** Up to this age an entry is still used while the store is asked again. So long may a revocation take to be noticed. */
const staleMs = 2_000
const maxKnown = 20_000
const maxUnknown = 1_000

export type CallerOrRefusal = Caller | 'unknown' | 'revoked' | 'expired'

/** What the store said about a key, and when it was asked. */
export interface CachedKey {
  readonly hash: Buffer
  readonly key: StoredKey | null
  readonly caller: Caller | null
  /** On the monotonic clock, before the store was asked. */
  readonly checkedAt: number
}

/** Keys by their hash, so that a call costs one hash and one look-up in memory. Its size is bounded, whatever clients send. */
export class KeyCache {
  readonly #read: (hash: string) => Maybe<StoredKey | undefined>
  readonly #clock: Clock
  readonly #known = new Map<string, CachedKey>()
  readonly #unknown = new Map<string, CachedKey>()
  readonly #loading = new Map<string, Promise<CallerOrRefusal>>()
  readonly #compared = Buffer.alloc(64)

  constructor(read: (hash: string) => Maybe<StoredKey | undefined>, clock: Clock) {
    this.#read = read
    this.#clock = clock
  }

  /** What is known of a key without waiting for the store; null when `load` must ask it. */
  peek(digest: string): CallerOrRefusal | null {
    const entry = this.find(digest)
    if (!entry) return null
    const age = performance.now() - entry.checkedAt
    if (age < freshMs) return this.#answerOf(entry)
    if (age >= staleMs || entry.key === null) return null
    const reloaded = this.load(digest)
    if (!(reloaded instanceof Promise)) return reloaded
    // When the store cannot be reached the entry grows stale; the next call then waits for the store and is refused.
    reloaded.catch(() => {})
    return this.#answerOf(entry)
  }

  find(digest: string): CachedKey | null {
    const slot = slotOf(digest)
    const entry = this.#known.get(slot) ?? this.#unknown.get(slot)
    if (!entry) return null
    this.#compared.write(digest, 'latin1')
    return timingSafeEqual(this.#compared, entry.hash) ? entry : null
  }

  /** The caller of a key while its entry is fresh, else null. */
  freshCaller(entry: CachedKey): Caller | null {
    if (performance.now() - entry.checkedAt >= freshMs) return null
    const found = this.#answerOf(entry)
    return typeof found === 'string' ? null : found
  }

  /** Asks the store, once for all calls with the same key at a time. */
  load(digest: string): Maybe<CallerOrRefusal> {
    const running = this.#loading.get(digest)
    if (running) return running
    const startedAt = performance.now()
    const found = this.#read(digest)
    if (!(found instanceof Promise)) return this.#keep(digest, found ?? null, startedAt)
    const loaded = found
      .then((key) => this.#keep(digest, key ?? null, startedAt))
      .finally(() => this.#loading.delete(digest))
    this.#loading.set(digest, loaded)
    return loaded
  }

  #keep(digest: string, key: StoredKey | null, checkedAt: number): CallerOrRefusal {
    const slot = slotOf(digest)
    const entry = { hash: Buffer.from(digest, 'latin1'), key, caller: key && callerOf(key), checkedAt }
    this.#unknown.delete(slot)
    // Deleted first, so that the map's first entry is the one checked longest ago.
    this.#known.delete(slot)
    if (key) put(this.#known, slot, entry, maxKnown)
    else put(this.#unknown, slot, entry, maxUnknown)
    return this.#answerOf(entry)
  }

  #answerOf({ key, caller }: CachedKey): CallerOrRefusal {
    if (key === null || caller === null) return 'unknown'
    if (key.revokedAt !== null) return 'revoked'
    return key.expiresAt !== null && this.#clock.now() >= key.expiresAt ? 'expired' : caller
  }
}

/** The map is searched by a part of the hash only; the whole hash is compared in constant time. */
const slotOf = (digest: string): string => digest.slice(0, 16)

const put = (map: Map<string, CachedKey>, slot: string, entry: CachedKey, limit: number): void => {
  map.set(slot, entry)
  if (map.size > limit) for (const [oldest] of map.entries().take(1)) map.delete(oldest)
}

const callerOf = (key: StoredKey): Caller => ({
  account: key.account,
  consumer: { id: key.id, name: key.name, kind: key.kind },
  scopes: new Set(key.scopes),
  subject: key.subject,
  claims: key.claims,
})
