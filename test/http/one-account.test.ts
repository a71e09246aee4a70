import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { compileApi } from '../../src/compile/compile.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { checkContracts } from '../../src/contract/gate.ts'
import { type ApiOptions, api } from '../../src/declare/api.ts'
import { readOnly } from '../../src/declare/field.ts'
import { resource } from '../../src/declare/resource.ts'
import type { TestApi } from '../../src/testing.ts'
import { whenOver } from '../support/clean-up.ts'
import { describeStores } from '../support/stores.ts'
import { startIssuer, type TokenIssuer } from '../support/token-issuer.ts'
import { testApi } from '../support/way-in.ts'

let issuer: TokenIssuer
beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.stop())

const notes = resource('notes', {
  fields: { text: z.string().max(50), by: readOnly(z.string().max(50).optional()) },
  hooks: { beforeCreate: (_, { caller }) => ({ by: caller.subject }) },
})
const diary = (more: Partial<ApiOptions> = {}) => api('diary', { resources: [notes], ...more })
const tokens = () => ({ issuer: issuer.url, jwks: issuer.jwksUrl, audience: 'shop' })

const open = async (databaseUrl: string, more: Partial<ApiOptions>): Promise<TestApi> => {
  const served = await testApi(diary(more), { databaseUrl })
  whenOver(() => served.close())
  return served
}
const call = async (served: TestApi, secret: string, method = 'GET', body?: object) => {
  const response = await served.fetch('/v1/notes', {
    method,
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { data, detail } = (await response.json()) as { data: { text: string }[]; detail?: string }
  return { status: response.status, data, detail }
}
const texts = async (served: TestApi, secret: string) =>
  (await call(served, secret)).data.map(({ text }) => text)

describeStores("an API with accounts: 'one'", (store) => {
  test('every key and every token belongs to its account: no claim is needed, and one that is there is not asked', async () => {
    const served = await open(await store.url(), { accounts: 'one', tokens: tokens() })
    const key = await served.key()
    const scope = 'notes:read notes:write'
    const [mia, noa] = [
      await issuer.sign({ sub: 'mia', scope }),
      await issuer.sign({ sub: 'noa', scope, account: 'another', tenant: 7 }),
    ]
    for (const [n, secret] of [key, mia, noa].entries())
      expect((await call(served, secret, 'POST', { text: `note ${n}` })).status).toBe(201)
    for (const secret of [key, mia, noa])
      expect(await texts(served, secret)).toEqual(['note 0', 'note 1', 'note 2'])
    await expect(served.key('acme')).rejects.toThrow(/accounts: 'one'/)
  })

  test('a store with rows of accounts is refused, which names one and says what to do; an empty one is not', async () => {
    const url = await store.url()
    const many = await open(url, {})
    const [acme, zoo] = [await many.key('acme'), await many.key('zoo')]
    // The only account is between these two.
    await call(many, zoo, 'POST', { text: 'Of the zoo' })
    await expect(open(url, { accounts: 'one' })).rejects.toThrow(/rows of accounts, such as notes of "zoo"/)
    const { data } = await call(many, zoo)
    await many.fetch(`/v1/notes/${(data[0] as unknown as { id: string }).id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${zoo}` },
    })
    await call(many, acme, 'POST', { text: 'Of acme' })
    await expect(open(url, { accounts: 'one' })).rejects.toThrow(/rows of accounts, such as notes of "acme"/)
    const list = await call(many, acme)
    await many.fetch(`/v1/notes/${(list.data[0] as unknown as { id: string }).id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${acme}` },
    })
    const one = await open(url, { accounts: 'one' })
    // A key of an account does not open what is everybody's now.
    expect(await call(one, acme)).toMatchObject({ status: 401, detail: 'This API key is not known here.' })
    expect((await call(one, await one.key({ name: 'new' }), 'POST', { text: 'x' })).status).toBe(201)
  })

  test('a store that was filled with one account is refused by an API with accounts', async () => {
    const url = await store.url()
    const one = await open(url, { accounts: 'one' })
    await (await open(url, {})).close()
    const again = await open(url, { accounts: 'one' })
    const key = await again.key()
    await call(again, key, 'POST', { text: 'One' })
    await expect(open(url, {})).rejects.toThrow(/no longer does, and has rows of notes/)
    expect(await texts(one, key)).toEqual(['One'])
  })

  test('a seed has rows for the account without naming it', async () => {
    const id = '00000000-0000-7000-8000-000000000001'
    const seed = { account: () => [{ resource: 'notes', values: { id, text: 'Seeded' } }] }
    const served = await open(await store.url(), { accounts: 'one', seed })
    expect(await texts(served, await served.key())).toEqual(['Seeded'])
  })
})

test('the document says nothing of accounts, and the contract asks for no claim of them', () => {
  const one = compileApi(diary({ accounts: 'one', tokens: tokens() }))
  expect(contractOf(one, one.head).service.tokens).toEqual([
    { claims: { consumer: 'client_id', scopes: 'scope' } },
  ])
})

test('the gate calls it breaking to ask for the claim of an account, and to ask for it no more', () => {
  const models = [
    compileApi(diary({ accounts: 'one', tokens: {} })),
    compileApi(diary({ tokens: {} })),
  ] as const
  for (const [from, to] of [models, models.toReversed()])
    expect(
      from && to && checkContracts(to, new Map([['v1', contractOf(from, from.head)]])).refusals,
    ).toHaveLength(1)
})
