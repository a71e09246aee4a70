import { type Caller, freezeClaims, inProcess, isPlainName } from '../call/caller.ts'
import { makeClient } from '../client/make-client.ts'
import type { Model } from '../compile/model.ts'
import type { ActingAs } from '../declare/job.ts'
import type { Mounted } from './mounted.ts'

/** The client of a service in this process, as a caller that needs no key. */
export function clientAs(
  model: Model,
  fetch: Mounted['fetch'],
  { account = model.soleAccount ?? undefined, scopes = ['*'], subject, claims = {} }: ActingAs,
): object {
  if (account === undefined) throw new TypeError("as() needs an account: as({ account: 'acme' })")
  for (const name of [account, ...(subject === undefined ? [] : [subject])])
    if (!isPlainName(name)) throw new TypeError(`${JSON.stringify(name)} cannot be the name of a caller.`)
  const caller: Caller = {
    account: model.soleAccount ?? account,
    consumer: { id: inProcess, name: inProcess, kind: 'internal' },
    scopes: new Set(scopes),
    subject: subject ?? null,
    claims: freezeClaims(structuredClone(claims)),
  }
  return makeClient({
    url: `http://localhost${model.prefix}`,
    version: model.head.name,
    fetch: (url: string, init: RequestInit) => fetch(new Request(url, init), { address: '', caller }),
  })
}
