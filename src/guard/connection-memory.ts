import type { Caller } from '../request/caller.ts'
import type { KeyCache, KnownKey } from './key-cache.ts'

/**
 * The last key of each connection: a client sends the same one with every call, so that it need be read and hashed only now
 * and then. What is kept goes with the connection, and is believed no longer than the key cache believes it.
 */
export interface ConnectionMemory {
  /** Who sent this very header on this connection lately; null when it must be looked at. */
  recall(connection: object, header: string): Caller | null
  keep(connection: object, header: string, key: KnownKey): void
}

export const createConnectionMemory = (keys: KeyCache): ConnectionMemory => {
  const kept = new WeakMap<object, { readonly header: string; readonly key: KnownKey }>()
  return {
    recall(connection, header) {
      const last = kept.get(connection)
      return last && isSame(last.header, header) ? keys.believed(last.key) : null
    },
    keep: (connection, header, key) => void kept.set(connection, { header, key }),
  }
}

/** Takes the same time wherever two secrets differ: behind a proxy, a connection carries the calls of many. */
const isSame = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return difference === 0
}
