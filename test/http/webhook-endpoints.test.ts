import { expect, test } from 'vitest'
import { storeForms } from '../support/databases.ts'
import { hooksApi, testWebhooks } from '../support/hooks-api.ts'
import { describeServing } from '../support/serving.ts'

const url = 'https://receiver.example/hooks'
const path = '/v2/webhook-endpoints'

describeServing(
  'webhook endpoints',
  (served) => {
    test('a create shows the secret, and nothing shows it ever after', async () => {
      const answer = await served.call('POST', path, {
        body: { url, event_types: ['notes.created'], description: 'Ours' },
      })
      expect(answer.status, answer.text).toBe(201)
      expect(answer.data).toEqual({
        id: expect.any(String),
        url,
        event_types: ['notes.created'],
        description: 'Ours',
        active: true,
        version: 'v2',
        disabled_reason: null,
        owner: { consumer: expect.stringMatching(/^key_/), subject: null },
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        created_at: expect.any(String),
        updated_at: expect.any(String),
      })
      const at = answer.headers.get('location') ?? ''
      expect(at).toBe(`${path}/${answer.data.id}`)
      const read = await served.get(at)
      expect(read.data).toEqual({ ...answer.data, secret: null })
      expect(read.etag).toBe(answer.etag)
      const list = await served.get(`${path}?limit=100`)
      expect(list.rows.find(({ id }) => id === answer.data.id)).toEqual(read.data)
      const changed = await served.call('PATCH', at, { body: { description: null } })
      expect(changed.data).toMatchObject({ description: null, secret: null })
      const rows = await served.store.all('SELECT "sealed" FROM "webhook_secrets"', [])
      expect(rows.flat().join()).not.toContain(String(answer.data.secret).slice(6, 30))
    })

    test('a keyed create replays without the secret', async () => {
      const sent = { body: { url, event_types: ['*'] }, headers: { 'Idempotency-Key': 'endpoint-1' } }
      const first = await served.call('POST', path, sent)
      expect(first.data.secret).toMatch(/^whsec_/)
      const replay = await served.call('POST', path, sent)
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
      expect(replay.data).toEqual({ ...first.data, secret: null })
      const [stored] = await served.store.all(
        `SELECT "body" FROM "nounkit_idempotency" WHERE "key" = 'endpoint-1'`,
        [],
      )
      expect(String(stored?.[0])).not.toContain('whsec_')
    })

    test('a second secret is shown once; the first one expires, and a third takes its place', async () => {
      const { id } = await served.make(path, { url, event_types: ['*'] })
      const secrets = `${path}/${id}/secrets`
      expect((await served.get(secrets)).rows).toHaveLength(1)
      const second = await served.call('POST', secrets, { body: {}, headers: { 'Idempotency-Key': 's2' } })
      expect(second.status, second.text).toBe(201)
      expect(second.data).toMatchObject({ endpoint_id: id, expires_at: null })
      expect(second.data.secret).toMatch(/^whsec_/)
      const again = await served.call('POST', secrets, { body: {}, headers: { 'Idempotency-Key': 's2' } })
      expect(again.data).toEqual({ ...second.data, secret: null })
      const [newest, old] = (await served.get(secrets)).rows
      expect(newest).toEqual({ ...second.data, secret: null })
      expect(old).toMatchObject({ secret: null, expires_at: expect.any(String) })
      const hours = (Date.parse(String(old?.expires_at)) - Date.parse(String(newest?.created_at))) / 3_600_000
      expect(hours).toBeCloseTo(24, 1)
      await served.make(secrets, {})
      const left = (await served.get(secrets)).rows
      expect(left.map(({ expires_at }) => expires_at === null)).toEqual([true, false])
      expect(left[1]?.id).toBe(newest?.id)
    })

    test.each([
      ['no URL', { url: 'hooks' }, ['#/url']],
      ['credentials', { url: 'https://user:word@receiver.example/' }, ['#/url']],
      ['another scheme', { url: 'ftp://receiver.example/' }, ['#/url']],
      ['a private address', { url: 'https://10.0.0.1/' }, ['#/url']],
      ['a decimal address', { url: 'https://2886729729/' }, ['#/url']],
      ['an octal address', { url: 'https://012.0.0.1/' }, ['#/url']],
      ['a mapped address', { url: 'https://[::ffff:169.254.169.254]/' }, ['#/url']],
      ['a header injected', { url: 'https://receiver.example/\r\nX-Mine: 1' }, ['#/url']],
      ['a URL that is too long', { url: `https://receiver.example/${'a'.repeat(2_048)}` }, ['#/url']],
      ['an unknown type', { event_types: ['notes.created', 'notes.creatd'] }, ['#/event_types/1']],
      ['a type of another version', { event_types: ['memos.created'] }, ['#/event_types/0']],
      ['a resource without events', { event_types: ['drafts.created'] }, ['#/event_types/0']],
      ['a star among others', { event_types: ['*', 'notes.created'] }, ['#/event_types']],
      ['no types', { event_types: [] }, ['#/event_types']],
      ['types that are no list', { event_types: 'notes.created' }, ['#/event_types']],
      ['a version', { version: 'v1' }, ['#/version']],
      ['a secret', { secret: 'whsec_mine' }, ['#/secret']],
      ['both wrong', { url: 'x', event_types: ['x.created'] }, ['#/url', '#/event_types/0']],
    ])('%s is refused', async (_, wrong, pointers) => {
      const answer = await served.call('POST', path, { body: { url, event_types: ['*'], ...wrong } })
      expect(answer.refusal, answer.text).toEqual([422, 'validation-failed'])
      expect(answer.faults).toEqual(pointers)
    })

    test('a change is judged as a create is', async () => {
      const { id } = await served.make(path, { url, event_types: ['*'] })
      const wrong = { url: 'https://192.168.0.1/', event_types: ['memos.created'] }
      const answer = await served.call('PATCH', `${path}/${id}`, { body: wrong })
      expect(answer.refusal).toEqual([422, 'validation-failed'])
      expect(answer.faults).toEqual(['#/url', '#/event_types/0'])
      expect((await served.call('PUT', `${path}/${id}`, { body: wrong })).status).toBe(405)
    })

    test('an endpoint keeps the words of the version it was created in', async () => {
      const { id } = await served.make('/v1/webhook-endpoints', { url, event_types: ['memos.created'] })
      const shown = await served.get(`${path}/${id}`)
      expect(shown.data).toMatchObject({ version: 'v1', event_types: ['memos.created'] })
      const changed = await served.call('PATCH', `${path}/${id}`, {
        body: { event_types: ['memos.deleted'] },
      })
      expect(changed.status, changed.text).toBe(200)
    })

    test('If-Match, deletes and accounts are those of any resource', async () => {
      const made = await served.call('POST', path, { body: { url, event_types: ['*'] } })
      const at = `${path}/${made.data.id}`
      expect((await served.call('PATCH', at, { body: { active: false } })).status).toBe(200)
      const stale = await served.call('DELETE', at, { headers: { 'If-Match': made.etag } })
      expect(stale.status).toBe(412)
      expect((await served.get(at, { as: 'globex' })).status).toBe(404)
      expect((await served.call('DELETE', at)).status).toBe(204)
      expect((await served.get(at)).status).toBe(404)
      expect((await served.get(`${at}/deliveries`)).status).toBe(404)
      expect((await served.call('POST', `${at}/secrets`, { body: {} })).status).toBe(404)
      const body = { event_id: '0198a3c0-0000-7000-8000-000000000000' }
      expect((await served.call('POST', `${at}/deliveries`, { body })).status).toBe(404)
    })

    test('scopes: of endpoints, and of what is sent', async () => {
      const reads = await served.api.key('acme', { scopes: ['webhook-endpoints:read'] })
      const writes = await served.api.key('acme', { scopes: ['webhook-endpoints:write'] })
      const both = await served.api.key('acme', { scopes: ['webhook-endpoints:write', 'notes:read'] })
      const body = { url, event_types: ['notes.created'] }
      expect((await served.get(path, { as: reads })).status).toBe(200)
      expect((await served.call('POST', path, { as: reads, body })).status).toBe(403)
      expect((await served.call('POST', path, { as: writes, body })).status).toBe(403)
      expect((await served.call('POST', path, { as: both, body })).status).toBe(201)
      const hidden = { url, event_types: ['notes.created', 'plans.created'] }
      expect((await served.call('POST', path, { as: both, body: hidden })).status).toBe(403)
      expect((await served.get('/v2/webhook-endpoints', { as: null })).status).toBe(401)
    })

    test('an account has a limited number of endpoints, and a subject half of them', async () => {
      const create = (as = 'initech') => served.call('POST', path, { as, body: { url, event_types: ['*'] } })
      const ada = await served.api.key('initech', { subject: 'ada' })
      // All at once: none of them may count before another has ended.
      const made = async (as?: string) => {
        const answers = await Promise.all(Array.from({ length: 24 }, () => create(as)))
        return answers.filter(({ status }) => status === 201).length
      }
      expect(await made(ada)).toBe(20)
      expect((await create(ada)).refusal).toEqual([409, 'too-many-webhook-endpoints'])
      expect(await made()).toBe(20)
      const answer = await create()
      expect(answer.refusal).toEqual([409, 'too-many-webhook-endpoints'])
      expect((await served.get('/problems/too-many-webhook-endpoints')).status).toBe(200)
    })
  },
  { declaration: hooksApi, webhooks: { ...testWebhooks, allow: [] } },
  storeForms,
)
