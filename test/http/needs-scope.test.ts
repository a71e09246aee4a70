import { beforeAll, describe, expect, test } from 'vitest'
import { describeServing, type Row } from '../support/serving.ts'
import { plainScopes, trade } from '../support/trade.ts'

describeServing(
  'fields that need a scope',
  (served) => {
    let plain: string
    let finance: string
    let buyer: Row
    let deal: Row

    beforeAll(async () => {
      plain = await served.api.key('acme', { scopes: plainScopes, name: `plain ${served.kind}` })
      const scopes = [...plainScopes, 'trade:finance']
      finance = await served.api.key('acme', { scopes, name: `finance ${served.kind}` })
      buyer = await served.make('/v2/buyers', {
        name: 'ab',
        first_name: 'Ada',
        last_name: 'Byron',
        credit: 5,
      })
      const body = { title: 'first', cost: 4711, code: 'c1', buyer_id: buyer.id }
      deal = await served.make('/v2/deals', body)
      await served.make(`/v2/deals/${deal.id}/lines`, { text: 'line', expense: 4713 })
    })

    const secret = ['audit', 'code', 'cost', 'expense', 'rate']
    const hiddenIn = (row: Row) => secret.filter((name) => !(name in row))

    describe('are shown to who has the scope, by name or by *, and absent for all others', () => {
      test('in one row and in lists', async () => {
        for (const as of [finance, 'acme']) {
          expect((await served.get(`/v2/deals/${deal.id}`, { as })).data).toMatchObject({
            cost: 4711,
            rate: 7,
            code: 'c1',
            audit: 'open',
            expense: 4713,
          })
          expect((await served.get('/v2/deals', { as })).rows[0]).toMatchObject({ cost: 4711 })
        }
        const one = await served.get(`/v2/deals/${deal.id}`, { as: plain })
        expect(Object.keys(one.data)).toEqual(['id', 'buyer_id', 'title', 'created_at', 'updated_at'])
        const { rows } = await served.get('/v2/deals', { as: plain })
        expect(rows).toEqual([one.data])
      })

      test('in includes at every depth', async () => {
        const path = `/v2/buyers/${buyer.id}?include=deals.lines`
        const whole = (await served.get(path)).data as Row & { deals: { data: Row[] } }
        expect(whole.deals.data[0]).toMatchObject({ cost: 4711, lines: { data: [{ expense: 4713 }] } })
        const { text, data } = await served.get(path, { as: plain })
        expect(text).not.toMatch(/:471\d|"c1"|Ada/)
        const [shown] = (data as Row & { deals: { data: Row[] } }).deals.data
        expect(hiddenIn(shown as Row)).toEqual(secret)
        expect(shown).toMatchObject({ lines: { data: [{ text: 'line' }] } })
        const list = await served.get('/v2/deals?include=buyer', { as: plain })
        expect(Object.keys((list.rows[0] as unknown as { buyer: Row }).buyer)).toEqual([
          'id',
          'name',
          'last_name',
          'created_at',
          'updated_at',
        ])
      })

      test('in an older version under its name there, and in what code makes of them', async () => {
        const whole = await served.get(`/v1/deals/${deal.id}?include=buyer`)
        expect(whole.data).toMatchObject({ spent: 4711, buyer: { full_name: 'Ada Byron' } })
        const { text, data } = await served.get(`/v1/deals/${deal.id}?include=buyer`, { as: plain })
        expect(text).not.toMatch(/:471\d|spent|Ada|Byron|full_name/)
        expect(hiddenIn(data)).toEqual(secret)
        const { rows } = await served.get('/v1/buyers', { as: plain })
        expect(Object.keys(rows[0] as Row)).toEqual(['id', 'name', 'created_at', 'updated_at'])
      })

      test('also where each scope is held alone', async () => {
        const { data } = await served.get(`/v2/buyers/${buyer.id}`, { as: finance })
        expect(data).toMatchObject({ credit: 5 })
        expect(data).not.toHaveProperty('first_name')
      })
    })

    test('the bytes for callers without the scope are the same whether a value is set or not', async () => {
      const without = await served.make('/v2/deals', { title: 'empty', buyer_id: buyer.id })
      const one = await served.get(`/v2/deals/${deal.id}`, { as: plain })
      const other = await served.get(`/v2/deals/${without.id}`, { as: plain })
      const normal = ({ text }: { text: string }, { id, created_at, updated_at, title }: Row) =>
        [id, created_at, updated_at, title].reduce<string>(
          (all, part) => all.replaceAll(String(part), '…'),
          text,
        )
      expect(normal(one, one.data)).toBe(normal(other, other.data))
    })

    test('entity tags differ by what is shown, with includes too, and If-Match takes either', async () => {
      for (const query of ['', '?include=buyer', '?include=lines']) {
        const path = `/v2/deals/${deal.id}${query}`
        const tags = [finance, plain].map(async (as) => (await served.get(path, { as })).etag)
        const [whole = '', part] = await Promise.all(tags)
        expect(whole, query).not.toBe(part)
        const cached = await served.get(path, { as: plain, headers: { 'if-none-match': whole } })
        expect(cached.status, query).toBe(200)
      }
    })
  },
  { declaration: trade },
)
