import { beforeAll, expect, test } from 'vitest'
import { StreamReader } from '../support/event-source.ts'
import { testWebhooks } from '../support/hooks-api.ts'
import { lending, lendingScopes } from '../support/lending.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Answer, describeServing, type Row } from '../support/serving.ts'
import { noId } from '../support/shop-rows.ts'
import { until } from '../support/until.ts'

/** Events of the lending API: a rule holds for the row as the event shows it. */
describeServing(
  'events and rules',
  (served) => {
    let ada: Row
    let bo: Row
    const as: { [who: string]: string } = {}
    const events = async (who: string, query = '', version = 'v2') =>
      served.get(`/${version}/events?limit=100${query}`, { as: as[who] ?? '' })
    const told = ({ rows }: Answer) =>
      rows.map((event) => `${event.type} ${(event.data as Row).days ?? ''}`.trim())

    beforeAll(async () => {
      ada = await served.make('/v2/members', { name: 'Ada' })
      bo = await served.make('/v2/members', { name: 'Bo' })
      const branch = await served.make('/v2/branches', { city: 'Bonn' })
      const copy = await served.make('/v2/copies', { label: 'c', branch_id: branch.id })
      const elsewhere = await served.make('/v2/branches', { city: 'Ulm' })
      const other = await served.make('/v2/copies', { label: 'd', branch_id: elsewhere.id })
      const lend = (member: Row, of: Row, days: number) =>
        served.make('/v2/loans', { member_id: member.id, copy_id: of.id, days })
      const loan = await lend(ada, copy, 1)
      await lend(bo, other, 2)
      await served.call('PATCH', `/v2/loans/${loan.id}`, { body: { days: 3 } })
      await served.call('PATCH', `/v2/loans/${loan.id}`, { body: { member_id: bo.id } })
      await served.call('DELETE', `/v2/loans/${loan.id}`)
      const scopes = [...lendingScopes, 'events:read', 'webhook-endpoints:write']
      const key = (name: string, claims: object, more: readonly string[] = []) =>
        served.api.key('acme', {
          name: `${name} ${served.kind}`,
          scopes: [...scopes, ...more],
          claims: { ...claims },
        })
      as.ada = await key('ada', { member_id: ada.id })
      as.bo = await key('bo', { member_id: bo.id })
      as.bonn = await key('bonn', { city: 'Bonn' })
      as.nobody = await key('nobody', {})
      as.staff = await key('staff', {}, ['lending:all'])
    })

    const ofLoans = async (who: string, version = 'v2') =>
      told(await events(who, '', version)).filter((text) => /^(loans|borrowings)/.test(text))

    test('each caller is told of the rows that it may read, as the event shows them', async () => {
      const all = [
        'loans.created 1',
        'loans.created 2',
        'loans.updated 3',
        'loans.updated 3',
        'loans.deleted 3',
      ]
      expect(await ofLoans('staff')).toEqual(all)
      expect(await ofLoans('ada')).toEqual(['loans.created 1', 'loans.updated 3'])
      expect(await ofLoans('bo')).toEqual(['loans.created 2', 'loans.updated 3', 'loans.deleted 3'])
      expect(await ofLoans('bonn')).toEqual(all.filter((text) => text !== 'loans.created 2'))
      expect(await ofLoans('nobody')).toEqual([])
      expect((await events('ada')).text).not.toContain(bo.id)
    })

    test('in every version, page by page', async () => {
      expect(await ofLoans('ada', 'v1')).toEqual(['borrowings.created', 'borrowings.updated'])
      const found: string[] = []
      let cursor = ''
      for (let pages = 0; pages < 20; pages++) {
        const page = await served.get(`/v2/events?limit=1${cursor}`, { as: as.ada ?? '' })
        found.push(...told(page))
        cursor = `&cursor=${page.page.next_cursor}`
        if (!page.page.has_more) break
      }
      expect(found.filter((text) => text.startsWith('loans'))).toEqual(['loans.created 1', 'loans.updated 3'])
    })

    /** Two new loans, of which the second is Ada's. */
    const lendTwice = async (days: number) => {
      const [copy] = (await served.get('/v2/copies')).rows
      for (const [member, more] of [
        [bo, 0],
        [ada, 1],
      ] as const)
        await served.make('/v2/loans', { member_id: member.id, copy_id: copy?.id, days: days + more })
    }

    test('streams send them the same way', async () => {
      const response = await served.api.fetch('/v2/events', {
        headers: { authorization: `Bearer ${as.ada}`, accept: 'text/event-stream' },
      })
      const stream = await new StreamReader(response).opened()
      await lendTwice(50)
      const [sent] = await stream.take(1)
      expect(JSON.parse(sent?.data ?? '').data).toMatchObject({ member_id: ada.id, days: 51 })
      await stream.cancel()
    })

    test('and endpoints are told what their maker may read', async () => {
      const at = await startReceiver()
      try {
        const body = { url: at.url, event_types: ['loans.created'] }
        await served.make('/v2/webhook-endpoints', body, { as: as.ada ?? '' })
        await lendTwice(60)
        await lendTwice(70)
        await until(() => at.received.length === 2)
        const days = at.received.map(({ body }) => JSON.parse(body).data.data.days)
        expect(days.sort()).toEqual([61, 71])
      } finally {
        await at.close()
      }
    })

    test('an event of a row that may not be read is one that never was', async () => {
      const hidden = (await events('staff')).rows.find(
        ({ type, data }) => type === 'members.created' && (data as Row).id === bo.id,
      )
      const path = `/v2/events/${hidden?.id}`
      expect((await served.get(path, { as: as.bo ?? '' })).status).toBe(200)
      const refused = await served.get(path, { as: as.ada ?? '' })
      const nowhere = await served.get(`/v2/events/${noId}`, { as: as.ada ?? '' })
      expect(refused.status).toBe(404)
      const body = ({ text }: Answer) => text.replace(/"instance":"[^"]+"/, '')
      expect(body(refused)).toBe(body(nowhere))
    })
  },
  { declaration: { ...lending, events: { keepDays: 3 } }, webhooks: testWebhooks },
)
