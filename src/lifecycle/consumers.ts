import type { Consumer } from '../request/caller.ts'
import { type Store, textOrNull } from '../store/store.ts'

/** A consumer as people know it: all keys of one name are one, a token's client is `token:{client}`. */
export interface KnownConsumer {
  readonly account: string
  readonly name: string
  readonly kind: Consumer['kind']
  /** How to reach it: an address, a channel, a person. */
  readonly contact: string | null
}

export interface Consumers {
  /** Who called with a key, and what kind of key that was; one that is gone from the store is known by its id, and external. */
  find(account: string, id: string): KnownConsumer
  readonly all: readonly KnownConsumer[]
}

export async function readConsumers(store: Store): Promise<Consumers> {
  const known = new Map<string, KnownConsumer>()
  const byName = new Map<string, KnownConsumer>()
  const keys = await readKeys(store)
  // Oldest first, so that of several keys the newest has the last word on kind and contact.
  for (const { account, name, kind, contact } of keys) {
    const place = `${account}\n${name}`
    byName.set(place, { account, name, kind, contact: contact ?? byName.get(place)?.contact ?? null })
  }
  // What was called with an external key stays so, whatever keys of that name come after it.
  for (const { account, name, id, kind } of keys) {
    const consumer = byName.get(`${account}\n${name}`)
    if (consumer) known.set(`${account}\n${id}`, { ...consumer, kind })
  }
  return {
    all: [...byName.values()],
    find: (account, id) =>
      known.get(`${account}\n${id}`) ?? { account, name: id, kind: 'external', contact: null },
  }
}

/** Oldest first. A rotated key has the id of the new one and a suffix: one consumer. */
async function readKeys(store: Store): Promise<readonly (KnownConsumer & { readonly id: string })[]> {
  const rows = await store.all(
    'SELECT "id", "account_id", "name", "kind", "contact" FROM "nounkit_api_keys" ORDER BY "created_at", "id"',
    [],
  )
  return rows.map(([id, account, name, kind, contact]) => ({
    id: String(id).split('.', 1)[0] ?? '',
    account: String(account),
    name: String(name),
    kind: kind === 'internal' || kind === 'probe' ? kind : 'external',
    contact: textOrNull(contact),
  }))
}
