import { api, custom, resource, version } from 'nounkit'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sweepEvents } from '../../src/events/sweep-events.ts'
import { dayMs } from '../../src/times.ts'
import { makeDeliveries } from '../../src/webhooks/delivery-rows.ts'
import { sweepDeliveries } from '../../src/webhooks/sweep-deliveries.ts'
import { whenOver } from '../support/clean-up.ts'
import { emptyDatabase, walkedStores } from '../support/databases.ts'
import { hooksApi, testWebhooks } from '../support/hooks-api.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { type Row, type Serving, type ServingOptions, serve } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'
import { until } from '../support/until.ts'

async function receiver(options: { tls?: boolean } = {}): Promise<Receiver> {
  const started = await startReceiver(options)
  whenOver(() => started.close())
  return started
}

const eventOf = ({ body }: Received) => (JSON.parse(body) as { data: Row }).data

// What two processes do on PostgreSQL, also when they are killed, crash/events shows.
describeStores(
  'webhook deliveries',
  (store) => {
    const serving = async (options: ServingOptions = {}, url?: string): Promise<Serving> =>
      serve(store.kind, url ?? (await store.url()), {
        declaration: hooksApi,
        webhooks: testWebhooks,
        ...options,
      })
    const endpoint = (served: Serving, at: Receiver, more: object = {}, version = 'v2') =>
      served.make(`/${version}/webhook-endpoints`, { url: at.url, event_types: ['*'], ...more })
    const deliveries = async (served: Serving, { id }: Row, query = '') =>
      (await served.get(`/v2/webhook-endpoints/${id}/deliveries${query}`)).rows

    test.each([false, true])('every event is sent as GET shows it, signed (TLS: %s)', async (tls) => {
      const served = await serving()
      const at = await receiver({ tls })
      await served.make('/v2/notes', { text: 'before the endpoint' })
      const made = await endpoint(served, at)
      const { id } = await served.make('/v2/notes', { text: 'Zoë "✓"' })
      await served.call('PATCH', `/v2/notes/${id}`, { body: { colour: 'red' } })
      await served.call('DELETE', `/v2/notes/${id}`)
      await until(() => at.received.length === 3)
      const events = at.received.map(eventOf)
      expect(events.map(({ type }) => type).sort()).toEqual([
        'notes.created',
        'notes.deleted',
        'notes.updated',
      ])
      for (const call of at.received) {
        const event = eventOf(call)
        expect(call.headers['webhook-id']).toBe(event.id)
        expect((await served.get(`/v2/events/${event.id}`)).text).toBe(call.body)
        const headers = call.headers as Record<string, string>
        expect(new Webhook(String(made.secret)).verify(call.body, headers)).toEqual({ data: event })
      }
      const rows = await until(async () => {
        const all = await deliveries(served, made)
        return all.every(({ status }) => status === 'delivered') ? all : null
      })
      expect(rows).toHaveLength(3)
      expect(rows[0]).toEqual({
        id: expect.any(String),
        endpoint_id: made.id,
        event_id: expect.any(String),
        type: expect.stringMatching(/^notes\./),
        status: 'delivered',
        attempts: 1,
        next_attempt_at: null,
        last_status_code: 204,
        last_error: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      })
    })

    test('an endpoint gets the types it asked for, in the words of its version', async () => {
      const served = await serving()
      const [old, some] = [await receiver(), await receiver()]
      await endpoint(served, old, {}, 'v1')
      await endpoint(served, some, { event_types: ['plans.created'] })
      await served.make('/v2/notes', { text: 'one' })
      await served.make('/v2/drafts', { title: 'not told' })
      await served.make('/v2/plans', { title: 'two' })
      await until(() => old.received.length === 2 && some.received.length === 1)
      const [memo] = old.received.map(eventOf).filter(({ type }) => type === 'memos.created')
      expect(memo).toMatchObject({ data: { body: 'one' } })
      expect(some.received.map(eventOf)).toMatchObject([{ type: 'plans.created' }])
    })

    test('an endpoint of a version that only newer processes know is left to them', async () => {
      const served = await serving()
      const [known, newer] = [await receiver(), await receiver()]
      await endpoint(served, known)
      const { id } = await endpoint(served, newer)
      const speak = (version: string) =>
        served.store.writeOne(
          `UPDATE "webhook_endpoints" SET "api_version" = '${version}' WHERE "url" = '${newer.url}'`,
          [],
        )
      await speak('v3')
      await served.make('/v2/notes', { text: 'one' })
      await until(() => known.received.length === 1)
      await served.make('/v2/notes', { text: 'two' })
      await until(() => known.received.length === 2)
      expect((await served.get(`/v2/webhook-endpoints/${id}`)).data).toMatchObject({ active: true })
      expect(newer.received).toEqual([])
      await speak('v2')
      await until(() => newer.received.length === 2)
    })

    test('an event is kept, however old, until it has a delivery for each active endpoint', async () => {
      const clock = setClock('2026-03-01T00:00:00Z')
      const served = await serving({ clock })
      const at = await receiver()
      await endpoint(served, at)
      const lease = (owner: string, until: string) =>
        served.store.writeOne(
          `UPDATE "webhook_endpoints" SET "lease_owner" = ${owner}, "lease_until" = ${until}`,
          [],
        )
      const sweep = () => {
        const { store: swept, engine } = served.api.service
        return sweepEvents(swept, engine.events.log, clock, 30, new AbortController().signal)
      }
      const events = async () => (await served.get('/v2/events')).rows.length
      await lease("'another'", '9000000000000')
      await served.make('/v2/notes', { text: 'one' })
      clock.pass(31 * dayMs)
      await sweep()
      expect(await events()).toBe(1)
      await lease('NULL', 'NULL')
      await until(() => at.received.length === 1)
      await sweep()
      expect(await events()).toBe(0)
    })

    test('a long event arrives whole, though its text does not wait in memory for its call', async () => {
      const long = resource('notes', { fields: { text: z.string().max(200_000) } })
      const served = await serving({
        declaration: api('long', { events: { keepDays: 30 }, resources: [long] }),
      })
      const at = await receiver()
      const { id } = await endpoint(served, at, {}, 'v1')
      const text = 'ß'.repeat(100_000)
      await served.make('/v1/notes', { text })
      await until(() => at.received.length === 1)
      expect(at.received.map(eventOf)).toMatchObject([{ data: { text } }])
      await served.store.writeOne(
        `UPDATE "webhook_endpoints" SET "position" = 1, "lease_owner" = 'another', "lease_until" = 9000000000000`,
        [],
      )
      const bodies = ['short', text].map((body, n) => ({ id: String(n), type: 'notes.created', body }))
      const [[version] = []] = await served.store.all('SELECT "version" FROM "webhook_endpoints"', [])
      const behind = { account: 'acme', id, position: 1, rowVersion: Number(version) }
      // Events that were judged by what the endpoint was before a change are judged again.
      const outdated = { ...behind, rowVersion: 0 }
      expect(await makeDeliveries(served.store, outdated, 2, bodies, Date.now())).toBeNull()
      const waiting = await makeDeliveries(served.store, behind, 2, bodies, Date.now())
      expect(waiting?.map(({ body }) => body)).toEqual(['short', null])
    })

    test('another account’s events go to its own endpoints only', async () => {
      const served = await serving()
      const [acme, globex] = [await receiver(), await receiver()]
      await endpoint(served, acme)
      await served.make('/v2/webhook-endpoints', { url: globex.url, event_types: ['*'] }, { as: 'globex' })
      await served.make('/v2/notes', { text: 'ours' })
      await served.make('/v2/notes', { text: 'theirs' }, { as: 'globex' })
      await until(() => acme.received.length === 1 && globex.received.length === 1)
      expect(acme.received.map(eventOf)).toMatchObject([{ data: { text: 'ours' } }])
      expect(globex.received.map(eventOf)).toMatchObject([{ data: { text: 'theirs' } }])
    })

    test('a failure is tried again with the same id and body, and then failed', async () => {
      const served = await serving()
      const at = await receiver()
      at.answer((response) => void response.writeHead(500).end())
      const made = await endpoint(served, at)
      await served.make('/v2/notes', { text: 'x' })
      const failed = await until(async () => (await deliveries(served, made, '?filter[status]=failed'))[0])
      expect(failed).toMatchObject({
        attempts: 4,
        next_attempt_at: null,
        last_status_code: 500,
        last_error: 'status',
      })
      expect(at.received).toHaveLength(4)
      expect(new Set(at.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      expect(new Set(at.received.map(({ body }) => body)).size).toBe(1)
    })

    test('after failures of every kind the event still arrives', async () => {
      const served = await serving({
        webhooks: { ...testWebhooks, delaysMs: [10, 10, 10, 10, 10], timeoutMs: 3_000 },
      })
      const at = await receiver()
      const answers = [
        () => {},
        (response: { destroy(): void }) => response.destroy(),
        (response: { writeHead(status: number, headers: object): { end(): void } }) =>
          response.writeHead(302, { location: at.url }).end(),
      ] as Parameters<Receiver['answer']>[0][]
      at.answer((...call) =>
        (answers.shift() ?? ((response) => void response.writeHead(200).end('ok')))(...call),
      )
      const made = await endpoint(served, at)
      await served.make('/v2/notes', { text: 'x' })
      const [row] = await until(async () => {
        const all = await deliveries(served, made, '?filter[status]=delivered')
        return all.length === 1 ? all : null
      })
      expect(row).toMatchObject({ attempts: 4, last_status_code: 200, last_error: null })
      expect(at.received).toHaveLength(4)
    })

    test('Retry-After is kept to, and the usual delays come otherwise, a tenth more or less', async () => {
      const clock = setClock('2026-11-17T12:00:00Z')
      const served = await serving({ clock, webhooks: { ...testWebhooks, delaysMs: [5_000, 300_000] } })
      const at = await receiver()
      at.answer((response) => void response.writeHead(429, { 'retry-after': '120' }).end())
      const made = await endpoint(served, at)
      await served.make('/v2/notes', { text: 'x' })
      const pending = async (attempts: number) =>
        until(async () => {
          const [row] = await deliveries(served, made)
          return row?.attempts === attempts ? row : null
        })
      expect(await pending(1)).toMatchObject({
        status: 'pending',
        last_status_code: 429,
        next_attempt_at: '2026-11-17T12:02:00.000Z',
      })
      at.answer((response) => void response.writeHead(500).end())
      clock.pass(120_000)
      const second = await pending(2)
      const seconds = (Date.parse(String(second.next_attempt_at)) - clock.now()) / 1_000
      expect(seconds).toBeGreaterThanOrEqual(270)
      expect(seconds).toBeLessThanOrEqual(330)
    })

    test('410 ends the calls, and what was pending has failed', async () => {
      const served = await serving({ webhooks: { ...testWebhooks, delaysMs: [60_000] } })
      const at = await receiver()
      at.answer((response) => void response.writeHead(500).end())
      const made = await endpoint(served, at)
      await served.make('/v2/notes', { text: 'pending' })
      await until(async () => (await deliveries(served, made))[0]?.attempts === 1)
      at.answer((response) => void response.writeHead(410).end())
      await served.make('/v2/notes', { text: 'gone' })
      const shown = await until(async () => {
        const { data } = await served.get(`/v2/webhook-endpoints/${made.id}`)
        return data.active === false ? data : null
      })
      expect(shown).toMatchObject({ disabled_reason: 'gone' })
      const rows = await deliveries(served, made)
      expect(rows.map(({ status, last_error }) => [status, last_error])).toEqual([
        ['failed', 'status'],
        ['failed', 'endpoint-inactive'],
      ])
      await served.make('/v2/notes', { text: 'not sent' })
      at.answer((response) => void response.writeHead(204).end())
      const again = await served.call('PATCH', `/v2/webhook-endpoints/${made.id}`, { body: { active: true } })
      expect(again.data).toMatchObject({ active: true, disabled_reason: null })
      await served.make('/v2/notes', { text: 'sent' })
      await until(() => at.received.length === 3)
      expect(at.received.map(eventOf).at(-1)).toMatchObject({ data: { text: 'sent' } })
    })

    test('nothing but failures for five days end the calls', async () => {
      const clock = setClock('2026-11-01T00:00:00Z')
      const served = await serving({ clock, webhooks: { ...testWebhooks, delaysMs: [] } })
      const at = await receiver()
      at.answer((response) => void response.writeHead(500).end())
      const made = await endpoint(served, at)
      const fail = async (text: string) => {
        const before = (await deliveries(served, made)).length
        await served.make('/v2/notes', { text })
        await until(async () => (await deliveries(served, made, '?filter[status]=failed')).length > before)
      }
      await fail('first')
      clock.pass(4.9 * 86_400_000)
      await fail('second')
      expect((await served.get(`/v2/webhook-endpoints/${made.id}`)).data.active).toBe(true)
      clock.pass(0.2 * 86_400_000)
      await fail('third')
      const { data } = await served.get(`/v2/webhook-endpoints/${made.id}`)
      expect(data).toMatchObject({ active: false, disabled_reason: 'failing' })
    })

    test('an address that is not allowed is never called, and the delivery says so', async () => {
      const served = await serving({
        webhooks: {
          ...testWebhooks,
          allow: [],
          delaysMs: [],
          resolve: async () => [{ address: '127.0.0.1', family: 4 }],
        },
      })
      const at = await receiver({ tls: true })
      const made = await served.make('/v2/webhook-endpoints', {
        url: `https://inside.example:${at.port}/`,
        event_types: ['*'],
      })
      await served.make('/v2/notes', { text: 'x' })
      const [row] = await until(async () => {
        const all = await deliveries(served, made, '?filter[status]=failed')
        return all.length === 1 ? all : null
      })
      expect(row).toMatchObject({ last_error: 'address-not-allowed', last_status_code: null })
      expect(at.received).toEqual([])
    })

    test('an event is delivered once more when asked', async () => {
      const served = await serving()
      const at = await receiver()
      const made = await endpoint(served, at)
      await served.make('/v2/notes', { text: 'x' })
      const [first] = await until(async () => {
        const all = await deliveries(served, made, '?filter[status]=delivered')
        return all.length === 1 ? all : null
      })
      const path = `/v2/webhook-endpoints/${made.id}/deliveries`
      const answer = await served.call('POST', path, { body: { event_id: first?.event_id } })
      expect(answer.status, answer.text).toBe(201)
      expect(answer.data).toMatchObject({
        event_id: first?.event_id,
        type: 'notes.created',
        status: 'pending',
      })
      await until(() => at.received.length === 2)
      expect(at.received[1]?.body).toBe(at.received[0]?.body)
      const rows = await deliveries(served, made, `?filter[event_id]=${first?.event_id}`)
      expect(rows.map(({ id }) => id)).toEqual([answer.data.id, first?.id])
      const unknown = { event_id: '0198a3c0-0000-7000-8000-000000000000' }
      const refused = await served.call('POST', path, { body: unknown })
      expect(refused.refusal).toEqual([422, 'validation-failed'])
      expect(refused.faults).toEqual(['#/event_id'])
      await served.call('PATCH', `/v2/webhook-endpoints/${made.id}`, { body: { active: false } })
      const inactive = await served.call('POST', path, { body: { event_id: first?.event_id } })
      expect(inactive.refusal).toEqual([409, 'webhook-endpoint-inactive'])
    })

    test('while a secret is replaced both sign, and after 24 hours the new one alone', async () => {
      const clock = setClock('2026-11-17T12:00:00Z')
      const served = await serving({ clock })
      const at = await receiver()
      const made = await endpoint(served, at)
      const second = await served.make(`/v2/webhook-endpoints/${made.id}/secrets`, {})
      const signedBy = (call: Received | undefined, secret: unknown): boolean => {
        try {
          new Webhook(String(secret)).verify(call?.body ?? '', call?.headers as Record<string, string>)
          return true
        } catch {
          return false
        }
      }
      await served.make('/v2/notes', { text: 'both' })
      await until(() => at.received.length === 1)
      expect(signedBy(at.received[0], made.secret)).toBe(true)
      expect(signedBy(at.received[0], second.secret)).toBe(true)
      clock.pass(24 * 3_600_000 + 1)
      await served.make('/v2/notes', { text: 'one' })
      await until(() => at.received.length === 2)
      expect(signedBy(at.received[1], made.secret)).toBe(false)
      expect(signedBy(at.received[1], second.secret)).toBe(true)
    })

    test('an endpoint that hangs holds up no other, and gets ten calls at a time', async () => {
      const served = await serving()
      const [slow, quick] = [await receiver(), await receiver()]
      const hanging: (() => void)[] = []
      slow.answer((response) => void hanging.push(() => response.writeHead(204).end()))
      await endpoint(served, slow)
      await endpoint(served, quick)
      for (let at = 0; at < 30; at++) await served.make('/v2/notes', { text: String(at) })
      await until(() => quick.received.length === 30 && hanging.length === 10)
      expect(slow.received).toHaveLength(10)
      for (let at = 0; at < 30; at++) {
        await until(() => hanging.length > 0)
        hanging.shift()?.()
      }
      await until(() => slow.received.length === 30)
    })

    test.each(['deleted', 'set inactive'])('an endpoint that was %s gets no calls that wait', async (how) => {
      const served = await serving()
      const [slow, failing] = [await receiver(), await receiver()]
      const hanging: (() => void)[] = []
      slow.answer((response) => void hanging.push(() => response.writeHead(204).end()))
      const { id } = await endpoint(served, slow, { event_types: ['notes.created'] })
      await Promise.all(Array.from({ length: 60 }, () => served.make('/v2/notes', { text: 'x' })))
      await until(() => hanging.length === 10)
      const path = `/v2/webhook-endpoints/${id}`
      if (how === 'deleted') await served.call('DELETE', path)
      else await served.call('PATCH', path, { body: { active: false } })
      // The retries of another endpoint show that the process has looked at its endpoints since.
      failing.answer((response) => void response.writeHead(500).end())
      await endpoint(served, failing, { event_types: ['plans.created'] })
      await served.make('/v2/plans', { title: 'x' })
      await until(() => failing.received.length === 4)
      for (const answer of hanging.splice(0)) answer()
      await served.make('/v2/plans', { title: 'y' })
      await until(() => failing.received.length === 8)
      expect(slow.received).toHaveLength(10)
    })

    test('an event that cannot be told fails alone', async () => {
      const people = resource('people', { fields: { level: z.int() }, nameIsPluralBecause: 'it is one' })
      const changes = [
        custom('people', {
          fields: { grade: z.string() },
          replaces: ['level'],
          up: ({ grade }) => ({ level: String(grade).length }),
          down: ({ level }) => ({ grade: 'x'.repeat(Number(level)) }),
          samples: [{ older: { grade: 'xx' }, newer: { level: 2 } }],
        }),
      ]
      const declaration = api('grades', {
        events: { keepDays: 30 },
        resources: [people],
        versions: [version('v2'), version('v1', { changes })],
      })
      const served = await serving({ declaration })
      const at = await receiver()
      const made = await endpoint(served, at, {}, 'v1')
      await served.make('/v2/people', { level: 1 })
      await served.make('/v2/people', { level: -1 })
      await served.make('/v2/people', { level: 3 })
      const [failed] = await until(async () => {
        const all = await deliveries(served, made, '?filter[status]=failed')
        return all.length === 1 ? all : null
      })
      expect(failed).toMatchObject({ type: 'people.created', last_error: 'event-unreadable', attempts: 4 })
      await until(() => at.received.length === 2)
      expect(at.received.map((call) => (eventOf(call).data as Row).grade).sort()).toEqual(['x', 'xxx'])
    })

    test('deliveries that have ended go when their events do', async () => {
      const clock = setClock('2026-11-01T00:00:00Z')
      const served = await serving({ clock, webhooks: { ...testWebhooks, delaysMs: [90 * 86_400_000] } })
      const at = await receiver()
      const made = await endpoint(served, at)
      const sweep = () => sweepDeliveries(served.store, clock, 30, new AbortController().signal)
      await served.make('/v2/notes', { text: 'old' })
      await until(async () => (await deliveries(served, made))[0]?.status === 'delivered')
      at.answer((response) => void response.writeHead(500).end())
      await served.make('/v2/notes', { text: 'pending' })
      await until(async () => (await deliveries(served, made, '?filter[status]=pending'))[0]?.attempts === 1)
      clock.pass(29 * 86_400_000)
      await sweep()
      expect(await deliveries(served, made)).toHaveLength(2)
      clock.pass(2 * 86_400_000)
      await sweep()
      expect((await deliveries(served, made)).map(({ status }) => status)).toEqual(['pending'])
    })

    test('two processes share the work and do not double it', async () => {
      const url = await store.url()
      const [one, two] = [await serving({}, url), await serving({}, url)]
      const receivers = [await receiver(), await receiver(), await receiver()]
      for (const at of receivers) await endpoint(one, at)
      const created = Array.from({ length: 60 }, (_, at) =>
        (at % 2 === 0 ? one : two).make('/v2/notes', { text: String(at) }),
      )
      await Promise.all(created)
      await until(() => receivers.every(({ received }) => received.length >= 60))
      const pending = async () => {
        const { rows } = await one.get('/v2/webhook-endpoints')
        const left = await Promise.all(rows.map((row) => deliveries(one, row, '?filter[status]=pending')))
        return left.flat().length
      }
      await until(async () => (await pending()) === 0)
      for (const { received } of receivers) {
        const texts = received.map((call) => (eventOf(call).data as Row).text).sort()
        expect(texts).toEqual(Array.from({ length: 60 }, (_, at) => String(at)).sort())
      }
    })

    test('what a stopped process left behind is sent by the next one', async () => {
      const url = await store.url()
      const first = await serving({}, url)
      const at = await receiver()
      at.answer((response) => void response.writeHead(503).end())
      await endpoint(first, at)
      await first.make('/v2/notes', { text: 'pending' })
      await until(() => at.received.length > 0)
      await first.api.close()
      at.answer((response) => void response.writeHead(204).end())
      const before = at.received.length
      await serving({}, url)
      await until(() => at.received.length > before)
      expect(at.received.map(eventOf).at(-1)).toMatchObject({ data: { text: 'pending' } })
    })
  },
  walkedStores,
)

describe('an API without events', () => {
  test('has no webhooks, and starts nothing', async () => {
    const { events: _, ...without } = hooksApi
    const served = await serve('sqlite', await emptyDatabase('sqlite'), { declaration: without })
    expect(served.api.service.webhooks).toBeNull()
    expect((await served.get('/v2/webhook-endpoints')).status).toBe(404)
  })
})
