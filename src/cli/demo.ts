import type { Clock } from '../clock.ts'
import { KeyRing } from '../guard/key-ring.ts'
import { sharedWriteScopes } from '../guard/scopes.ts'
import type { Service } from '../serve/service.ts'

/**
 * Replaces the demo key of each seeded account, and prints the keys with curl commands that use them. The key of the first account
 * also writes shared rows.
 */
export async function printDemo({ store, model }: Service, clock: Clock, url: string): Promise<void> {
  const ring = new KeyRing(store, clock)
  const keys: { account: string; secret: string; scopes: readonly string[] }[] = []
  for (const account of model.declaration.seed?.accounts ?? []) {
    const scopes = keys.length === 0 ? ['*', ...sharedWriteScopes(model)] : ['*']
    const { secret } = await ring.replace({ account, name: 'demo', scopes, kind: 'external' })
    keys.push({ account, secret, scopes })
  }
  const width = Math.max(0, ...keys.map(({ account }) => account.length))
  console.log('\nAPI keys, new with every start:')
  for (const { account, secret } of keys) console.log(`  ${account.padEnd(width)}  ${secret}`)
  for (const { account, scopes } of keys) console.log(`The scopes of ${account}'s key: ${scopes.join(' ')}`)
  console.log(`\nTry it, or open ${url}/docs\n`)
  for (const line of curlLines(url, keys[0]?.secret ?? '')) console.log(`  ${line}`)
  console.log('')
}

const curlLines = (url: string, key: string): readonly string[] => [
  `curl -H 'Authorization: Bearer ${key}' '${url}/v2/orders?limit=2&include=customer,items.product'`,
  `curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -H 'Idempotency-Key: try-1' -d '{"name":"Ada","email":"ada@example.com"}' '${url}/v2/customers'`,
  `curl -i -H 'Authorization: Bearer ${key}' '${url}/v1/clients?limit=1'`,
]
