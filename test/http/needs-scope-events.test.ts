import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { plainScopes, trade } from '../support/trade.ts'

describeServing(
  'events of rows with fields that need a scope',
  (served) => {
    test('show and name such fields only to callers with the scope', async () => {
      const scopes = [...plainScopes, 'events:read']
      const plain = await served.api.key('acme', { scopes, name: `plain ${served.kind}` })
      const buyer = await served.make('/v2/buyers', { name: 'ab', first_name: 'Ada', credit: 5 })
      const deal = await served.make('/v2/deals', { title: 'first', cost: 4711, buyer_id: buyer.id })
      const path = `/v2/deals/${deal.id}`
      expect((await served.call('PATCH', path, { body: { cost: 4712 } })).status).toBe(200)
      expect((await served.call('PATCH', path, { body: { cost: 4713, title: 'second' } })).status).toBe(200)
      for (const version of ['v1', 'v2']) {
        const cost = version === 'v1' ? 'spent' : 'cost'
        const changes = async (as?: string) => {
          const { rows } = await served.get(`/${version}/events`, as ? { as } : {})
          return rows.filter(({ type }) => type === 'deals.updated').map(({ changed }) => changed)
        }
        expect((await changes()).map((names) => new Set(names as string[]))).toEqual([
          new Set([cost]),
          new Set([cost, 'title']),
        ])
        // A change of withheld fields alone is no event for this caller.
        expect(await changes(plain)).toEqual([['title']])
        const { text } = await served.get(`/${version}/events`, { as: plain })
        expect(text).not.toMatch(/:471\d|Ada|"cost"|"spent"|"credit"|full_name|first_name/)
      }
    })
  },
  { declaration: { ...trade, events: { keepDays: 7 } } },
)
