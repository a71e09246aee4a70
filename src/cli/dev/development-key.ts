import type { Clock } from '../../clock.ts'
import { seedAccounts } from '../../compile/service/accounts.ts'
import { isActive, KeyRing } from '../../guard/key-ring.ts'
import { sharedWriteScopes } from '../../guard/scopes.ts'
import type { Service } from '../../serve/service.ts'
import { demoCalls } from '../demo-calls.ts'
import type { DevelopmentKey } from './messages.ts'

const name = 'dev'

/**
 * The key `dev` of the first account of the seed, which may do everything. Its secret is known only when the key is made: once for each
 * store. It gets the scopes of shared resources that are declared later.
 */
export async function developmentKey(
  { store, model }: Service,
  clock: Clock,
  url: string,
): Promise<DevelopmentKey> {
  const account = model.soleAccount ?? seedAccounts(model.declaration)[0] ?? name
  const shown = model.soleAccount === null ? account : null
  const ring = new KeyRing(store, clock)
  const scopes = ['*', ...sharedWriteScopes(model)]
  const keys = await ring.list(account)
  const key = keys.find((one) => one.name === name && isActive(one, clock.now()))
  if (key) {
    const missing = scopes.filter((scope) => !key.scopes.includes(scope))
    if (missing.length > 0) await ring.addScopes(key, missing)
    return { account: shown, secret: null, calls: [] }
  }
  const { secret } = await ring.create({ account, name, scopes, kind: 'internal' })
  return { account: shown, secret, calls: demoCalls(model, url, secret) }
}
