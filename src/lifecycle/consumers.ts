import { type Consumer, inProcess, operatorPrefix } from '../call/caller.ts'
import { keyStatements, storedKeyOf } from '../guard/key-rows.ts'
import { allRows } from '../store/run-statement.ts'
import type { Store } from '../store/store.ts'

/** A consumer: all API keys of one name together, or the client of a token as `token:{client}`. */
export interface KnownConsumer {
  readonly account: string
  readonly name: string
  readonly kind: Consumer['kind']
  /** How to reach it: an address, a channel, a person. */
  readonly contact: string | null
}

export interface Consumers {
  /** The consumer of a key. A client of tokens, or a key that is no longer in the store, has its id as name, and counts as external. */
  find(account: string, id: string): KnownConsumer
  readonly all: readonly KnownConsumer[]
}

export async function readConsumers(store: Store): Promise<Consumers> {
  const known = new Map<string, KnownConsumer>()
  const byName = new Map<string, KnownConsumer>()
  const rows = await allRows(store, keyStatements(store.dialect).ofAll())
  // Oldest first, so that kind and contact of the newest key win.
  const keys = rows.map(storedKeyOf).sort((a, b) => a.createdAt - b.createdAt || (a.rowId < b.rowId ? -1 : 1))
  for (const { account, name, kind, contact } of keys) {
    const key = `${account}\n${name}`
    byName.set(key, { account, name, kind, contact: contact ?? byName.get(key)?.contact ?? null })
  }
  // Calls with an external key stay external, whatever kind later keys of that name have.
  for (const { account, name, id, kind } of keys) {
    const consumer = byName.get(`${account}\n${name}`)
    if (consumer) known.set(`${account}\n${id}`, { ...consumer, kind })
  }
  return {
    all: [...byName.values()],
    find: (account, id) =>
      known.get(`${account}\n${id}`) ?? { account, name: id, kind: kindWithoutKey(id), contact: null },
  }
}

/** Operators in the console, and the code of the API itself, call without a key. Ids of keys and tokens begin otherwise. */
const kindWithoutKey = (id: string): Consumer['kind'] =>
  id === inProcess || id.startsWith(operatorPrefix) ? 'internal' : 'external'
