import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { KeyRing } from '../../src/guard/key-ring.ts'
import { dayMs } from '../../src/times.ts'
import { endThoseOfIssuer } from '../../src/webhooks/end-endpoints.ts'
import { whenOver } from '../support/clean-up.ts'
import { walkedStores } from '../support/databases.ts'
import { hooksApi, testWebhooks } from '../support/hooks-api.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Row, type Serving, type ServingOptions, serve } from '../support/serving.ts'
import { setClock } from '../support/set-clock.ts'
import { describeStores } from '../support/stores.ts'
import { startIssuer } from '../support/token-issuer.ts'
import { until } from '../support/until.ts'

const path = '/v2/webhook-endpoints'
const scopes = ['webhook-endpoints:read', 'webhook-endpoints:write', 'notes:read']

async function receiver(): Promise<Receiver> {
  const started = await startReceiver()
  whenOver(() => started.close())
  return started
}

describeStores(
  'the key that a webhook endpoint rests on',
  (store) => {
    const serving = async (options: ServingOptions = {}, url?: string): Promise<Serving> =>
      serve(store.kind, url ?? (await store.url()), {
        declaration: hooksApi,
        webhooks: testWebhooks,
        ...options,
      })
    const keyOf = (served: Serving, more: object = {}) =>
      served.api.key('acme', { name: 'till', scopes, ...more })
    const endpoint = (served: Serving, at: Receiver, as: string) =>
      served.make(path, { url: at.url, event_types: ['*'] }, { as })
    const ended = (served: Serving, { id }: Row) =>
      until(async () => {
        const { data } = await served.get(`${path}/${id}`)
        return data.active === false ? data : null
      })
    /** A second endpoint, of a key that lives, shows that deliveries go on. */
    const witness = async (served: Serving) => {
      const at = await receiver()
      await served.make(path, { url: at.url, event_types: ['*'] })
      return async () => {
        const before = at.received.length
        await served.make('/v2/notes', { text: 'witnessed' })
        await until(() => at.received.length > before)
      }
    }
    const note = (served: Serving) => served.make('/v2/notes', { text: 'x' })

    test('is revoked: the endpoint ends, with its retries, and nothing more is sent', async () => {
      const served = await serving({ webhooks: { ...testWebhooks, delaysMs: [1_000] } })
      const at = await receiver()
      at.answer((response) => void response.writeHead(500).end())
      const made = await endpoint(served, at, await keyOf(served))
      const told = await witness(served)
      await note(served)
      const deliveries = async () => (await served.get(`${path}/${made.id}/deliveries`)).rows
      await until(async () => (await deliveries())[0]?.attempts === 1)
      // Without a word to its endpoints.
      expect(await new KeyRing(served.store).revoke('acme', 'till')).toBe(1)
      expect(await ended(served, made)).toMatchObject({ disabled_reason: 'key-ended' })
      await told()
      expect(await deliveries()).toMatchObject([
        { status: 'failed', attempts: 1, last_error: 'endpoint-inactive' },
      ])
      expect(at.received).toHaveLength(1)
    })

    test('is revoked while calls wait: none of them begins', async () => {
      const served = await serving()
      const at = await receiver()
      const hanging: (() => void)[] = []
      at.answer((response) => void hanging.push(() => response.writeHead(204).end()))
      const made = await endpoint(served, at, await keyOf(served))
      const told = await witness(served)
      await Promise.all(Array.from({ length: 40 }, () => note(served)))
      await until(() => hanging.length === 10)
      await new KeyRing(served.store).revoke('acme', 'till')
      await ended(served, made)
      // Up to the time between two looks, calls begin by what was known of the endpoint before.
      await sleep(4 * (testWebhooks.lookEveryMs ?? 0))
      for (const answer of hanging.splice(0)) answer()
      await told()
      expect(at.received).toHaveLength(10)
    })

    test('expires: the endpoint ends, though nobody writes anything', async () => {
      const clock = setClock('2026-11-17T12:00:00Z')
      const served = await serving({ clock })
      const at = await receiver()
      const expiresAt = clock.now() + 60_000
      const made = await endpoint(served, at, await keyOf(served, { expiresAt }))
      await note(served)
      await until(() => at.received.length === 1)
      clock.pass(60_000)
      expect(await ended(served, made)).toMatchObject({ disabled_reason: 'key-ended' })
      await (await witness(served))()
      expect(at.received).toHaveLength(1)
    })

    test('is rotated: the endpoint goes on, and ends with the new key', async () => {
      const clock = setClock('2026-11-17T12:00:00Z')
      const served = await serving({ clock })
      const at = await receiver()
      const made = await endpoint(served, at, await keyOf(served))
      const told = await witness(served)
      const ring = new KeyRing(served.store, clock)
      await ring.rotate('acme', 'till', { overlapMs: 1_000 })
      clock.pass(2_000)
      await note(served)
      await until(() => at.received.length === 1)
      expect((await served.get(`${path}/${made.id}`)).data.active).toBe(true)
      await ring.revoke('acme', 'till')
      await ended(served, made)
      await told()
      expect(at.received).toHaveLength(1)
    })

    test('has ended: an endpoint that it is written with all the same gets nothing', async () => {
      const served = await serving()
      const at = await receiver()
      const made = await endpoint(served, at, await keyOf(served))
      const told = await witness(served)
      await new KeyRing(served.store).revoke('acme', 'till')
      await ended(served, made)
      // As a process writes that has not noticed it yet.
      await served.store.writeOne(
        `UPDATE "webhook_endpoints" SET "active" = ${served.kind === 'sqlite' ? '1' : 'TRUE'}, "disabled_reason" = NULL WHERE "id" = '${made.id}'`,
        [],
      )
      await told()
      expect(await ended(served, made)).toMatchObject({ disabled_reason: 'key-ended' })
      expect(at.received).toEqual([])
    })

    test('has ended: who activates the endpoint again is its owner from then on', async () => {
      const served = await serving()
      const at = await receiver()
      const ada = await keyOf(served, { name: 'ada', subject: 'ada' })
      const still = await keyOf(served, { name: 'ada 2', subject: 'ada' })
      const made = await endpoint(served, at, ada)
      const own = `${path}/${made.id}`
      await new KeyRing(served.store).revoke('acme', 'ada')
      await ended(served, made)
      const described = await served.call('PATCH', own, { body: { description: 'ended' } })
      expect(described.data).toMatchObject({ active: false, owner: made.owner })
      await served.make('/v2/plans', { title: 'not for Ada, and while it was inactive' })
      const again = await served.call('PATCH', own, { body: { active: true } })
      expect(again.data).toMatchObject({ active: true, disabled_reason: null, owner: { subject: null } })
      expect((await served.get(own, { as: still })).status).toBe(404)
      await served.make('/v2/plans', { title: 'for the account' })
      await until(() => at.received.length === 1)
      expect(at.received[0]?.body).toContain('for the account')
    })

    test('ends while the endpoint is inactive: its rights are gone all the same', async () => {
      const served = await serving()
      const at = await receiver()
      const made = await endpoint(served, at, await keyOf(served))
      const own = `${path}/${made.id}`
      await served.call('PATCH', own, { body: { active: false } })
      await new KeyRing(served.store).revoke('acme', 'till')
      await until(async () => (await served.get(own)).data.disabled_reason === 'key-ended')
      const again = await served.call('PATCH', own, { body: { active: true } })
      expect(again.data.owner).not.toEqual(made.owner)
      await served.make('/v2/plans', { title: 'for the account' })
      await until(() => at.received.length === 1)
    })

    test('is another one of its owner’s, which goes on when the first one ends', async () => {
      const served = await serving()
      const at = await receiver()
      const ada = await keyOf(served, { name: 'ada', subject: 'ada' })
      const made = await endpoint(served, at, ada)
      const next = await keyOf(served, { name: 'ada 2', subject: 'ada' })
      const moved = await served.call('PATCH', `${path}/${made.id}`, { body: {}, as: next })
      expect(moved.data.owner).toMatchObject({ subject: 'ada' })
      expect(moved.data.owner).not.toEqual(made.owner)
      await new KeyRing(served.store).revoke('acme', 'ada')
      await (await witness(served))()
      await until(() => at.received.length > 0)
      expect((await served.get(`${path}/${made.id}`)).data.active).toBe(true)
    })

    test('was another one when deliveries were made that wait: they are made anew, with the rights of now', async () => {
      const served = await serving()
      const at = await receiver()
      const hanging: (() => void)[] = []
      at.answer((response) => void hanging.push(() => response.writeHead(204).end()))
      const wide = await keyOf(served, { subject: 'ada', scopes: [...scopes, 'plans:read'] })
      const narrow = await keyOf(served, { name: 'narrow', subject: 'ada' })
      const made = await endpoint(served, at, wide)
      for (let made = 0; made < 10; made++) await note(served)
      await until(() => hanging.length === 10)
      await served.make('/v2/plans', { title: 'not any more' })
      const pending = `${path}/${made.id}/deliveries?filter[status]=pending`
      await until(async () => (await served.get(pending)).rows.length === 11)
      await served.call('PATCH', `${path}/${made.id}`, { as: narrow, body: {} })
      // What the process knows of the endpoint is older than this, so it reads the endpoint before the next call.
      await sleep(testWebhooks.lookEveryMs)
      for (const answer of hanging.splice(0)) answer()
      await until(async () => (await served.get(pending)).rows.length === 0)
      expect(at.received).toHaveLength(10)
      const { rows } = await served.get(`${path}/${made.id}/deliveries?filter[status]=failed`)
      expect(rows).toMatchObject([{ type: 'plans.created', last_error: 'event-expired' }])
    })

    test('is none where it rests on a token: it goes on after that has expired, until its issuer or subject is ended', async () => {
      const issuer = await startIssuer()
      whenOver(() => issuer.stop())
      const clock = setClock(new Date().toISOString())
      const tokens = { issuer: issuer.url, jwks: issuer.jwksUrl, audience: 'hooks' }
      const served = await serving({ clock, declaration: { ...hooksApi, tokens } })
      const at = await receiver()
      const claims = { aud: 'hooks', account: 'acme', client_id: 'app', scope: scopes.join(' ') }
      const token = await issuer.sign({ iss: issuer.url, sub: 'ada', ...claims })
      const made = await served.call('POST', path, {
        as: null,
        headers: { authorization: `Bearer ${token}` },
        body: { url: at.url, event_types: ['*'] },
      })
      expect(made.data.owner, made.text).toEqual({ consumer: 'token:app', subject: 'ada' })
      clock.pass(dayMs)
      await note(served)
      await until(() => at.received.length === 1)
      expect(await endThoseOfIssuer(served.store, `${issuer.url}/`, clock.now())).toBe(0)
      expect(await endThoseOfIssuer(served.store, issuer.url, clock.now())).toBe(1)
      await ended(served, made.data)
      await (await witness(served))()
      expect(at.received).toHaveLength(1)
    })

    test('is looked at by every process, not only by the one where it ended', async () => {
      const url = await store.url()
      const [one, other] = [await serving({}, url), await serving({}, url)]
      const at = await receiver()
      const made = await endpoint(one, at, await keyOf(one))
      const told = await witness(other)
      await note(other)
      await until(() => at.received.length === 1)
      await new KeyRing(other.store).revoke('acme', 'till')
      await ended(one, made)
      await told()
      expect(at.received).toHaveLength(1)
    })
  },
  walkedStores,
)
