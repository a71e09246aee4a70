import { api, resource, version } from 'nounkit'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/clock.ts'
import { compileApi } from '../../src/compile/compile.ts'
import { Mistakes } from '../../src/compile/mistakes.ts'
import { contractOf } from '../../src/contract/contract.ts'
import { compareContracts } from '../../src/contract/diff/diff.ts'
import { openapiOf } from '../../src/contract/openapi/openapi.ts'
import { resetStore } from '../../src/lifecycle/reset-store.ts'
import { followingStore } from '../support/following.ts'
import { describeServing } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'

const club = (email: z.ZodType) =>
  api('club', {
    resources: [
      resource('members', {
        fields: { email, name: z.string().trim().min(1).optional() },
        unique: ['email'],
        filter: ['email'],
      }),
    ],
    versions: [version('v1')],
  })
const declaration = club(z.email().trim().toLowerCase())

describeServing(
  'a text that is rewritten',
  (served) => {
    test('is stored, shown, compared and found in its form', async () => {
      const as = 'rewriting'
      const body = { email: ' Ada@Example.org\t' }
      const made = await served.call('POST', '/v1/members', { as, body })
      expect([made.status, made.data.email]).toEqual([201, 'ada@example.org'])
      const again = await served.call('POST', '/v1/members', { as, body: { email: 'ADA@example.org' } })
      expect(again.refusal).toEqual([409, 'unique-conflict'])

      for (const value of ['Ada@Example.org', 'ada@example.org', '%20ADA@EXAMPLE.ORG'])
        expect((await served.get(`/v1/members?filter[email]=${value}`, { as })).rows).toHaveLength(1)
      const several = await served.get('/v1/members?filter[email][in]=X@y.org,ADA@example.org', { as })
      expect(several.rows).toHaveLength(1)

      const path = `/v1/members/${made.data.id}`
      const { headers } = await served.call('GET', path, { as })
      const patched = await served.call('PATCH', path, { as, body: { email: 'ADA@EXAMPLE.ORG' } })
      expect([patched.status, patched.data.email, patched.headers.get('etag')]).toEqual([
        200,
        'ada@example.org',
        headers.get('etag'),
      ])
      const blank = await served.call('PATCH', path, { as, body: { name: '   ' } })
      expect(blank.refusal).toEqual([422, 'validation-failed'])
      const nonsense = await served.call('POST', '/v1/members', { as, body: { email: ' Ada ' } })
      expect(nonsense.refusal).toEqual([422, 'validation-failed'])
    })
  },
  { declaration },
)

describeStores('a field that is rewritten from now on', ({ url, open }) => {
  test('while nothing is published, its rows are rewritten, unless two would be one', async () => {
    const databaseUrl = await url()
    const store = await open(databaseUrl)
    const { follow, create, list } = followingStore(store, databaseUrl)
    const first = club(z.email())
    await resetStore(store, compileApi(first), { clock: systemClock, published: [] })
    await create(first, 'members', [{ email: 'Ada@example.org' }, { email: 'bob@example.org' }])
    const { notes } = await follow(declaration)
    expect(notes).toEqual([
      'members.email is rewritten now (trim)',
      'members.email is rewritten now (lower-case)',
    ])
    expect(await list(declaration, 'members')).toMatchObject([
      { email: 'ada@example.org' },
      { email: 'bob@example.org' },
    ])
    await follow(first)
    await create(first, 'members', [{ email: 'BOB@example.org' }])
    await expect(follow(declaration)).rejects.toThrow(/unique/)
    expect(await list(first, 'members')).toHaveLength(3)
  })
})

test('is in the document and in the contract, and a published field cannot change it', () => {
  const [from, to] = [club(z.email()), declaration].map((one) => {
    const model = compileApi(one)
    return contractOf(model, model.head)
  })
  if (!from || !to) throw new Error('no contracts')
  const model = compileApi(declaration)
  const document = JSON.stringify(openapiOf(model.head, model))
  expect(document).toContain('"x-rewrite":["trim","lower-case"]')
  expect(document).toContain('White space around it is removed. It is stored in lower case.')
  for (const [before, after] of [
    [from, to],
    [to, from],
  ] as const)
    expect(compareContracts(before, after).map(({ verdict }) => verdict)).toContain('breaking')
})

test('is a text, and its default is in its form', () => {
  expect(() => compileApi(club(z.iso.date().trim()))).toThrow(Mistakes)
  expect(() => compileApi(club(z.string().toLowerCase().default('A')))).toThrow(/Write "a", as it is shown/)
})
