import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { anyOf } from '../../src/declare/condition.ts'
import { readOnly } from '../../src/declare/field.ts'
import { belongsTo } from '../../src/declare/relation.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing } from '../support/serving.ts'
import { unique } from '../support/shop-rows.ts'

/** Written in one statement. */
const notes = resource('notes', { fields: { text: z.string().max(50) } })
/** Written in a transaction with a hook, which waits for `gate` where the text says so. */
const memos = resource('memos', {
  fields: { text: z.string().max(50), passed_on: readOnly(z.string().max(100).optional()) },
  hooks: {
    async beforeCreate(memo, { caller }) {
      if (memo.text === 'held') {
        entered.resolve()
        await gate.promise
      }
      return { passed_on: caller.idempotencyKey }
    },
  },
})
/** Which rows a caller reads depends on a claim and a scope of its credentials. */
const visits = resource('visits', {
  fields: { clinic: z.string().max(20), text: z.string().max(50) },
  rules: {
    read: ({ row, caller }) => anyOf(caller.has('visits:all'), row.clinic.is(caller.claim('clinic'))),
    create: () => true,
  },
})
/** No rule of its own: who may not read the visit is refused for the reference to it. */
const bills = resource('bills', {
  fields: { total: z.int() },
  relations: { visit: belongsTo(visits) },
})
let entered = Promise.withResolvers<void>()
let gate = Promise.withResolvers<void>()

describeServing(
  'an Idempotency-Key belongs to account and subject',
  (served) => {
    const keyOf = (subject: string | null, account = 'acme') =>
      served.api.key(account, { subject, name: unique() })
    const post = (path: string, as: string, key: string, text = 'a') =>
      served.call('POST', path, { body: { text }, as, headers: { 'Idempotency-Key': key } })

    for (const path of ['/v1/notes', '/v1/memos']) {
      test(`${path}: the same key of another subject, or of none, is another key`, async () => {
        const key = unique()
        const callers = await Promise.all([keyOf('mia'), keyOf('noa'), keyOf(null), keyOf('mia', 'globex')])
        const made: string[] = []
        for (const as of callers) {
          const answer = await post(path, as, key)
          expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, null])
          made.push(answer.text)
        }
        expect(new Set(made).size).toBe(callers.length)
        for (const [at, as] of callers.entries()) {
          const again = await post(path, as, key)
          expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([made[at], 'true'])
          expect((await post(path, as, key, 'b')).refusal).toEqual([422, 'idempotency-key-reused'])
        }
      })

      test(`${path}: a subject gets its replay with any of its credentials`, async () => {
        const key = unique()
        const first = await post(path, await keyOf('mia'), key)
        const again = await post(path, await keyOf('mia'), key)
        expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
      })

      test(`${path}: what another subject sent under the key is not told by a refusal`, async () => {
        const key = unique()
        expect((await post(path, await keyOf('mia'), key, 'a')).status).toBe(201)
        expect((await post(path, await keyOf('noa'), key, 'b')).status).toBe(201)
      })
    }

    test('subject and key are told apart wherever one ends', async () => {
      const first = await post('/v1/notes', await keyOf('b c'), 'a')
      const second = await post('/v1/notes', await keyOf('c'), 'a')
      const third = await post('/v1/notes', await keyOf(null), 'a')
      expect(new Set([first, second, third].map(({ text }) => text)).size).toBe(3)
    })

    test('the longest keys and subjects can be stored', async () => {
      const as = await keyOf('\u{1F600}'.repeat(127))
      const first = await post('/v1/notes', as, 'k'.repeat(255))
      expect((await post('/v1/notes', as, 'k'.repeat(255))).text).toBe(first.text)
    })

    test('hooks of different subjects pass on different keys', async () => {
      const key = unique()
      const mia = await post('/v1/memos', await keyOf('mia'), key)
      const noa = await post('/v1/memos', await keyOf('noa'), key)
      expect(mia.data.passed_on).not.toBe(noa.data.passed_on)
    })

    test('a create of one subject does not wait for another subject with the same key', async () => {
      entered = Promise.withResolvers<void>()
      gate = Promise.withResolvers<void>()
      const key = unique()
      const [mia, noa] = [await keyOf('mia'), await keyOf('noa')]
      const held = post('/v1/memos', mia, key, 'held')
      await entered.promise
      // For one and the same caller another body would be 422 now. On SQLite the write waits for the one before it.
      const other = post('/v1/memos', noa, key, 'b')
      gate.resolve()
      expect((await held).status).toBe(201)
      expect((await other).status).toBe(201)
    })

    test('a caller without a subject gets no replay of a row that a rule hides from it', async () => {
      const key = unique()
      const body = { clinic: 'north', text: 'a' }
      const of = (scopes: string[], claims: object) =>
        served.api.key('acme', { name: unique(), scopes, claims: { ...claims } })
      const send = async (as: string, sent = key) => {
        const headers = { 'Idempotency-Key': sent }
        return served.call('POST', '/v1/visits', { body, as, headers })
      }
      const north = await of(['*'], { clinic: 'north' })
      const first = await send(north)
      expect(first.status).toBe(201)
      const others = [
        await of(['visits:read', 'visits:write'], { clinic: 'south' }),
        await of(['visits:read', 'visits:write'], {}),
        await of(['visits:read', 'visits:write', 'visits:all'], { clinic: 'south' }),
      ]
      for (const as of others) {
        const refused = await send(as)
        expect(refused.refusal).toEqual([422, 'idempotency-key-reused'])
        expect(refused.text).not.toContain('north')
      }
      // A new key of the same rights, as after a rotation, gets the replay.
      const again = await send(await of(['*'], { clinic: 'north' }))
      expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
      expect((await send(others[0] ?? '', unique())).status).toBe(201)

      const bill = { visit_id: first.data.id, total: 1 }
      const headers = { 'Idempotency-Key': unique() }
      expect((await served.call('POST', '/v1/bills', { body: bill, as: north, headers })).status).toBe(201)
      const south = await of(['bills:write', 'bills:read', 'visits:read'], { clinic: 'south' })
      expect((await served.call('POST', '/v1/bills', { body: bill, as: north, headers })).status).toBe(201)
      expect((await served.call('POST', '/v1/bills', { body: bill, as: south, headers })).status).toBe(422)
    })
  },
  {
    declaration: api('subjects', {
      resources: [notes, memos, visits, bills],
      scopes: { 'visits:all': 'See the visits of all clinics.' },
    }),
  },
)
