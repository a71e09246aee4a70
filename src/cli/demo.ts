import type { Clock } from '../clock.ts'
import type { Model } from '../compile/model.ts'
import { seedAccounts } from '../compile/service/accounts.ts'
import type { DemoKey } from '../declare/api.ts'
import { KeyRing } from '../guard/key-ring.ts'
import { sharedWriteScopes } from '../guard/scopes.ts'
import type { Service } from '../serve/service.ts'
import { aligned } from './aligned.ts'
import { demoCalls } from './demo-calls.ts'

/** Replaces the demo keys, and prints them with curl commands that use them. */
export async function printDemo({ store, model }: Service, clock: Clock, url: string): Promise<void> {
  const declared = model.declaration.seed?.demoKeys
  const ring = new KeyRing(store, clock)
  const { soleAccount } = model
  const accountIn = ({ account }: DemoKey): string => account ?? soleAccount ?? ''
  const made: MadeDemoKey[] = []
  for (const key of declared ?? keysOfAccounts(model))
    made.push({
      ...key,
      account: accountIn(key),
      secret: (await ring.replace({ ...key, account: accountIn(key), kind: 'external' })).secret,
    })
  if (made.length === 0) {
    console.log(
      `\nOpen ${url}/docs. For keys, name accounts in the declaration: seed: { accounts: ['acme'] }\n`,
    )
    return
  }
  console.log('\nAPI keys, new with every start:')
  for (const line of declared ? namedLines(made, soleAccount) : accountLines(made, soleAccount))
    console.log(line)
  console.log(`\nTry it, or open ${url}/docs\n`)
  for (const line of declared ? callLines(url, made) : demoCalls(model, url, made[0]?.secret ?? ''))
    console.log(`  ${line}`)
  console.log('')
}

interface MadeDemoKey extends DemoKey {
  readonly account: string
  readonly secret: string
}

/** One key for each seeded account. That of the first account also writes shared rows. */
const keysOfAccounts = (model: Model): readonly DemoKey[] =>
  accountsWithKeys(model).map((account, at) => ({
    account,
    name: 'demo',
    scopes: at === 0 ? ['*', ...sharedWriteScopes(model)] : ['*'],
  }))

/** The only account has a key without a seed, too. */
const accountsWithKeys = ({ soleAccount, declaration }: Model): readonly string[] =>
  soleAccount === null ? seedAccounts(declaration) : [soleAccount]

const accountLines = (keys: readonly MadeDemoKey[], soleAccount: string | null): readonly string[] => {
  if (soleAccount !== null)
    return keys.flatMap(({ secret, scopes }) => [`  ${secret}`, `Its scopes: ${scopes.join(' ')}`])
  return [
    ...aligned(keys.map(({ account, secret }) => ['', account, secret])),
    ...keys.map(({ account, scopes }) => `The scopes of ${account}'s key: ${scopes.join(' ')}`),
  ]
}

const namedLines = (keys: readonly MadeDemoKey[], soleAccount: string | null): readonly string[] => {
  const claimsOf = ({ claims = {} }: DemoKey) =>
    Object.entries(claims).map(
      ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
  return [
    ...aligned(
      keys.map(({ account, name, secret }) => ['', ...(soleAccount === null ? [account] : []), name, secret]),
    ),
    ...keys.map(
      (key) => `The scopes and claims of ${key.name}'s key: ${key.scopes.join(' ')}${claimsOf(key).join('')}`,
    ),
  ]
}

const callLines = (url: string, keys: readonly MadeDemoKey[]): readonly string[] =>
  keys.flatMap(({ secret, reads = [] }) =>
    reads.map((path) => `curl -H 'Authorization: Bearer ${secret}' '${url}${path}'`),
  )
