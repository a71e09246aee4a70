import { beforeAll, describe, expect, test } from 'vitest'
import { hooksApi, testWebhooks } from '../support/hooks-api.ts'
import { type CallOptions, describeServing, type Row } from '../support/serving.ts'

const url = 'https://receiver.example/hooks'
const path = '/v2/webhook-endpoints'
const body = { url, event_types: ['notes.created'] }
/** No row has this id. */
const noId = '0198a3c0-0000-7000-8000-000000000000'

describeServing(
  'owners of webhook endpoints',
  (served) => {
    /** Keys of acme: of two people, of a program of the account, and of a program that may do less. */
    const as: { [who: string]: string } = {}
    const scopes = ['webhook-endpoints:read', 'webhook-endpoints:write', 'notes:read', 'notes:write']
    const key = (more: { subject?: string; scopes?: readonly string[] }) =>
      served.api.key('acme', { scopes, ...more })
    const make = (who: string, more: object = {}): Promise<Row> =>
      served.make(path, { ...body, ...more }, { as: as[who] ?? '' })
    const call = (who: string, method: string, at: string, given: CallOptions = {}) =>
      served.call(method, at, { as: as[who] ?? '', ...given })
    const rightsOf = async ({ id }: Row) => {
      const [[text] = []] = await served.store.all(
        `SELECT "told_to" FROM "webhook_endpoints" WHERE "id" = '${id}'`,
        [],
      )
      return JSON.parse(String(text)) as { subject: string | null; scopes: readonly string[] }
    }

    beforeAll(async () => {
      as.ada = await key({ subject: 'ada' })
      as['ada elsewhere'] = await key({ subject: 'ada', scopes: [...scopes, 'plans:read'] })
      as.bo = await key({ subject: 'bo', scopes: ['*'] })
      as.till = await key({})
      as.office = await key({ scopes: ['*'] })
    })

    test('an endpoint says whose it is: of a subject, or of the account', async () => {
      const ada = await make('ada')
      expect(ada.owner).toEqual({ consumer: expect.stringMatching(/^key_/), subject: 'ada' })
      const till = await make('till')
      expect(till.owner).toEqual({ consumer: expect.stringMatching(/^key_/), subject: null })
      const sent = { ...body, owner: { consumer: 'key_x', subject: 'bo' } }
      expect((await call('ada', 'POST', path, { body: sent })).faults).toEqual(['#/owner'])
    })

    test.each(['v1', 'v2'])('to another subject it does not exist (%s)', async (version) => {
      const owners = ['ada', 'till'] as const
      const at = `/${version}/webhook-endpoints`
      for (const owner of owners) {
        const { id } = await make(owner)
        const [event] = (await served.get('/v2/events?limit=1')).rows
        const before = await call('office', 'GET', `${path}/${id}`)
        const asked: readonly [string, string, object?][] = [
          ['GET', ''],
          ['PATCH', '', { description: 'mine' }],
          ['PATCH', '', {}],
          ['PATCH', '', { active: 'perhaps' }],
          ['DELETE', ''],
          ['GET', '/secrets'],
          ['POST', '/secrets', {}],
          ['GET', '/deliveries'],
          ['GET', '/deliveries?filter[status]=failed'],
          ['POST', '/deliveries', { event_id: event?.id ?? noId }],
          ['POST', '/deliveries', { event_id: 1 }],
        ]
        for (const [method, rest, sent] of asked) {
          const ask = (of: string) =>
            call('bo', method, `${at}/${of}${rest}`, sent === undefined ? {} : { body: sent })
          const [theirs, none] = [await ask(id), await ask(noId)]
          expect(theirs.status, `${method} ${rest}`).toBe(404)
          expect({ ...theirs.problem, instance: '' }).toEqual({ ...none.problem, instance: '' })
        }
        const after = await call('office', 'GET', `${path}/${id}`)
        expect([after.etag, after.data]).toEqual([before.etag, before.data])
        expect((await call('office', 'GET', `${path}/${id}/secrets`)).rows).toHaveLength(1)
      }
    })

    test('lists have the endpoints of the subject, page by page; a program of the account has all', async () => {
      const mine = [await make('ada'), await make('ada', { active: false })]
      const others = [await make('bo'), await make('till')]
      const listed = async (who: string, query = '') => {
        const ids: string[] = []
        let cursor = ''
        for (;;) {
          const { rows, page } = await call(who, 'GET', `${path}?limit=3${query}${cursor}`)
          ids.push(...rows.map(({ id }) => id))
          if (!page.has_more) return ids
          cursor = `&cursor=${page.next_cursor}`
        }
      }
      const ada = await listed('ada')
      expect(ada).toEqual(expect.arrayContaining(mine.map(({ id }) => id)))
      for (const { id } of others) expect(ada).not.toContain(id)
      expect(await listed('ada', '&filter[active]=false')).toContain(mine[1]?.id)
      expect(await listed('bo', '&filter[active]=false')).not.toContain(mine[1]?.id)
      const all = await listed('till')
      for (const { id } of [...mine, ...others]) expect(all).toContain(id)
      const page = (await call('ada', 'GET', `${path}?limit=1`)).page
      const stolen = await call('bo', 'GET', `${path}?limit=1&cursor=${page.next_cursor}`)
      expect(stolen.refusal).toEqual([400, 'bad-cursor'])
    })

    test('the same Idempotency-Key of another subject makes an endpoint of its own', async () => {
      const headers = { 'Idempotency-Key': 'an-endpoint' }
      const [ada, bo, office] = [
        await call('ada', 'POST', path, { body, headers }),
        await call('bo', 'POST', path, { body, headers }),
        await call('office', 'POST', path, { body, headers }),
      ]
      expect([ada.status, bo.status, office.status]).toEqual([201, 201, 201])
      expect(new Set([ada.data.id, bo.data.id, office.data.id]).size).toBe(3)
      expect(bo.data.owner).toMatchObject({ subject: 'bo' })
      const secrets = `${path}/${ada.data.id}/secrets`
      const made = await call('ada', 'POST', secrets, { body: {}, headers: { 'Idempotency-Key': 's' } })
      expect(made.status).toBe(201)
      const replay = await call('bo', 'POST', secrets, { body: {}, headers: { 'Idempotency-Key': 's' } })
      expect(replay.status).toBe(404)
    })

    describe('rights', () => {
      test('a write of somebody else changes none of them, and an owner’s write all of them', async () => {
        const made = await make('ada')
        const at = `${path}/${made.id}`
        const before = await rightsOf(made)
        const { etag } = await call('ada', 'GET', at)
        expect((await call('ada', 'PATCH', at, { body: {} })).etag).toBe(etag)
        for (const sent of [{}, { description: 'ours' }, { active: false }, { active: true }]) {
          expect((await call('office', 'PATCH', at, { body: sent })).status).toBe(200)
          expect(await rightsOf(made)).toEqual(before)
        }
        expect((await call('office', 'GET', at)).data.owner).toEqual(made.owner)
        expect((await call('ada elsewhere', 'PATCH', at, { body: {} })).status).toBe(200)
        expect(await rightsOf(made)).toMatchObject({ subject: 'ada', scopes: [...scopes, 'plans:read'] })
      })

      test('without a subject the owner is the program: another one leaves its rights as they are', async () => {
        const made = await make('till')
        const before = await rightsOf(made)
        expect((await call('office', 'PATCH', `${path}/${made.id}`, { body: {} })).status).toBe(200)
        expect(await rightsOf(made)).toEqual(before)
        const wide = await make('office', { event_types: ['*'] })
        const widest = await rightsOf(wide)
        const sent = { body: { description: 'noted' } }
        expect((await call('till', 'PATCH', `${path}/${wide.id}`, sent)).status).toBe(200)
        expect(await rightsOf(wide)).toEqual(widest)
      })

      test('only the owner says where events are sent', async () => {
        const made = await make('office', { event_types: ['*'] })
        const at = `${path}/${made.id}`
        const moved = await call('till', 'PATCH', at, { body: { url: 'https://elsewhere.example/' } })
        expect(moved.refusal).toEqual([403, 'not-permitted'])
        expect((await call('till', 'PATCH', at, { body: { url } })).status).toBe(200)
        const own = await call('office', 'PATCH', at, { body: { url: 'https://elsewhere.example/' } })
        expect(own.data.url).toBe('https://elsewhere.example/')
      })

      test('types that were named before do not keep a program from setting an endpoint inactive', async () => {
        const made = await make('office', { event_types: ['notes.created', 'plans.created'] })
        const at = `${path}/${made.id}`
        expect((await call('till', 'PATCH', at, { body: { active: false } })).status).toBe(200)
        const more = { event_types: ['notes.created', 'plans.created', 'plans.deleted'] }
        expect((await call('till', 'PATCH', at, { body: more })).status).toBe(403)
      })

      test('an event is delivered once more where both the caller and the owner are told it', async () => {
        const made = await make('ada', { event_types: ['*'] })
        await served.make('/v2/plans', { title: 'not for Ada' })
        const [plan] = (await served.get('/v2/events?filter[type]=plans.created&sort=-id')).rows
        const sent = { body: { event_id: plan?.id } }
        const told = await call('office', 'POST', `${path}/${made.id}/deliveries`, sent)
        expect(told.refusal).toEqual([422, 'validation-failed'])
        const wide = await make('office', { event_types: ['*'] })
        const asked = await call('till', 'POST', `${path}/${wide.id}/deliveries`, sent)
        expect(asked.refusal).toEqual([422, 'validation-failed'])
        expect((await call('office', 'POST', `${path}/${wide.id}/deliveries`, sent)).status).toBe(201)
      })
    })
  },
  { declaration: hooksApi, webhooks: { ...testWebhooks, allow: [], lookEveryMs: 3_600_000 } },
)
