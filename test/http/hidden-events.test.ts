import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from '../../src/declare/api.ts'
import { resource } from '../../src/declare/resource.ts'
import { describeServing } from '../support/serving.ts'

const many = 1_500

const notes = resource('notes', {
  fields: { member_id: z.string().max(50), text: z.string().max(50) },
  rules: { read: ({ row, caller }) => row.member_id.is(caller.claim('member_id')) },
})
const batches = resource('batches', {
  fields: { label: z.string().max(50) },
  hooks: {
    async afterCreate(_, { create }) {
      for (let at = 0; at < many; at++) await create(notes, { member_id: '1', text: `${at}` })
    },
  },
})

describeServing(
  'events that a rule hides',
  (served) => {
    test('cost a page no more than a thousand of them, and reading goes on behind them', async () => {
      const key = (member: string) =>
        served.api.key('acme', { name: member, claims: { member_id: member }, scopes: ['*'] })
      const [one, two] = [await key('1'), await key('2')]
      await served.make('/v1/batches', { label: 'a' })
      await served.call('POST', '/v1/notes', { as: two, body: { member_id: '2', text: 'last' } })
      const pages: number[] = []
      const told: unknown[] = []
      let cursor = ''
      for (let more = true; more; ) {
        const page = await served.get(`/v1/events?limit=100&filter[type]=notes.created${cursor}`, { as: two })
        pages.push(page.rows.length)
        told.push(...page.rows.map(({ data }) => (data as { text: string }).text))
        cursor = `&cursor=${page.page?.next_cursor}`
        more = page.page?.has_more === true
      }
      expect(told).toEqual(['last'])
      // The first page ends among the hidden ones.
      expect(pages).toEqual([0, 1])
      const seen = await served.get('/v1/events?limit=100&filter[type]=notes.created', { as: one })
      expect(seen.rows.length).toBe(100)
    })
  },
  { declaration: api('hidden', { resources: [notes, batches], events: { keepDays: 1 } }) },
)
