import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { StreamReader } from '../support/event-source.ts'
import { describeServing } from '../support/serving.ts'

const many = 2_500

const notes = resource('notes', {
  fields: { member_id: z.string().max(50), text: z.string().max(20_000) },
  rules: { read: ({ row, caller }) => row.member_id.is(caller.claim('member_id')) },
})
const batches = resource('batches', {
  fields: { label: z.string().max(50) },
  hooks: {
    async afterCreate({ label }, { create }) {
      if (label === 'large')
        for (let at = 0; at < 12; at++) await create(notes, { member_id: '1', text: 'x'.repeat(20_000) })
      else for (let at = 0; at < many; at++) await create(notes, { member_id: '1', text: `${at}` })
    },
  },
})

/** Turns of the event loop while `work` runs: between two of them, other requests are answered. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return turns
}

describeServing(
  'events that a rule hides',
  (served) => {
    const keyOf = (member: string, account = 'acme') =>
      served.api.key(account, {
        name: `member ${member} of ${account}`,
        claims: { member_id: member },
        scopes: ['*'],
      })
    let [one, two, start] = ['', '', '']
    const asked = '/v1/events?limit=100&filter[type]=notes.created'

    beforeAll(async () => {
      one = await keyOf('1')
      two = await keyOf('2')
      start = String((await served.get(asked, { as: two })).page?.next_cursor)
      await served.make('/v1/batches', { label: 'small' })
      const last = { member_id: '2', text: 'last' }
      expect((await served.call('POST', '/v1/notes', { as: two, body: last })).status).toBe(201)
    })

    test('cost a page no more than a thousand of them, and reading goes on behind them', async () => {
      const pages: number[] = []
      const told: unknown[] = []
      let cursor = ''
      for (let more = true; more; ) {
        const page = await served.get(`${asked}${cursor}`, { as: two })
        pages.push(page.rows.length)
        told.push(...page.rows.map(({ data }) => (data as { text: string }).text))
        cursor = `&cursor=${page.page?.next_cursor}`
        more = page.page?.has_more === true
      }
      expect(told).toEqual(['last'])
      // The first pages end among the hidden ones.
      expect(pages).toEqual([0, 0, 1])
      expect((await served.get(asked, { as: one })).rows.length).toBe(100)
    })

    test('are not looked at where the kind of change is another one', async () => {
      const deleted = await served.get('/v1/events?filter[type]=notes.deleted', { as: two })
      expect([deleted.rows.length, deleted.page?.has_more]).toEqual([0, false])
    })

    test('end a page by their bytes where they are large', async () => {
      const as = await keyOf('2', 'globex')
      await served.make('/v1/batches', { label: 'large' }, { as: 'globex' })
      const page = await served.get(asked, { as })
      expect([page.rows.length, page.page?.has_more]).toEqual([0, true])
    })

    test('are passed over by a stream in many turns, between which others are answered', async () => {
      const turns = await turnsDuring(async () => {
        const headers = { authorization: `Bearer ${two}`, accept: 'text/event-stream' }
        const response = await served.api.fetch(`${asked.replace('limit=100&', '')}&cursor=${start}`, {
          headers,
        })
        expect(response.status).toBe(200)
        const stream = new StreamReader(response)
        const [event] = await stream.take(1)
        expect(event?.data).toContain('"text":"last"')
        await stream.cancel()
      })
      expect(turns).toBeGreaterThan(6)
    })
  },
  {
    declaration: api('hidden', {
      resources: [notes, batches],
      events: { keepDays: 1 },
      limits: { responseBytes: 100_000 },
    }),
  },
)
