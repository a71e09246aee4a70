import { afterAll, beforeAll, expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { makeApiKey } from '../../src/guard/api-key.ts'
import type { TestApi } from '../../src/testing.ts'
import { whenOver } from '../support/clean-up.ts'
import { describeStores } from '../support/stores.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'
import { testApi } from '../support/way-in.ts'

let issuer: TokenIssuer
let stranger: TokenIssuer
beforeAll(async () => {
  issuer = await startIssuer()
  stranger = await startIssuer()
})
afterAll(() => Promise.all([issuer.stop(), stranger.stop()]))

const path = '/v2/customers?limit=1'
const call = async (api: TestApi, secret: string): Promise<number> =>
  (await api.fetch(path, { headers: { authorization: `Bearer ${secret}` } })).status

describeStores('wrong credentials', (store) => {
  const open = async (): Promise<TestApi> => {
    const tokens = { issuer: issuer.url, jwks: issuer.jwksUrl, audience: 'shop' }
    // What was counted stays counted while the test runs. Each account can make 20 calls.
    const declaration = { ...shop, tokens, rate: { perSecond: 0.001, burst: 20 }, limits: { bulkRows: 20 } }
    // A rate of none at all is the declared one.
    const api = await testApi(declaration, { databaseUrl: await store.url(), rate: '' })
    whenOver(() => api.close())
    return api
  }
  const claims = { account: 'acme', client_id: 'billing', scope: 'customers:read' }
  let accounts = 0
  const newAccount = (): string => `account-${++accounts}`

  test('many of an address are 429, and lock out none that is right: not one that this process has never seen', async () => {
    const api = await open()
    const [known, token] = [await api.key(newAccount()), await issuer.sign(claims)]
    expect([await call(api, known), await call(api, token)]).toEqual([200, 200])
    const forged = await stranger.sign({ ...claims, iss: issuer.url })
    const wrong = () => [makeApiKey().secret, forged, 'nonsense', `${known.slice(0, -1)}_`]
    const first = []
    for (let round = 0; round < 5; round++) for (const secret of wrong()) first.push(await call(api, secret))
    expect(new Set(first)).toEqual(new Set([401]))

    const statuses = { wrong: [] as number[], right: [] as number[] }
    for (let round = 0; round < 10; round++) {
      const unseen = [await api.key(newAccount()), await issuer.sign({ ...claims, account: newAccount() })]
      const [refused, accepted] = await Promise.all([
        Promise.all(wrong().map((secret) => call(api, secret))),
        Promise.all([known, token, ...unseen].map((secret) => call(api, secret))),
      ])
      statuses.wrong.push(...refused)
      statuses.right.push(...accepted)
    }
    expect(new Set(statuses.right)).toEqual(new Set([200]))
    expect(new Set(statuses.wrong)).toEqual(new Set([429]))
    const refused = await api.fetch(path, { headers: { authorization: `Bearer ${makeApiKey().secret}` } })
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
  })
})
