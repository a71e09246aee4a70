import type { Caller } from '../../src/call/caller.ts'

/** A caller by the id of its credentials, without scopes and claims. */
export const callerOf = (id: string, account = 'acme'): Caller => ({
  account,
  consumer: { id, name: id, kind: 'external' },
  scopes: new Set(),
  subject: null,
  claims: {},
})
