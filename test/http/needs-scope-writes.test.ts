import { beforeAll, describe, expect, test } from 'vitest'
import { describeServing, type Row } from '../support/serving.ts'
import { plainScopes, trade } from '../support/trade.ts'

describeServing(
  'writing rows with fields that need a scope',
  (served) => {
    let plain: string
    let finance: string
    let buyer: Row
    let titles = 0

    beforeAll(async () => {
      plain = await served.api.key('acme', { scopes: plainScopes, name: `plain ${served.kind}` })
      const scopes = [...plainScopes, 'trade:finance', 'buyers:private']
      finance = await served.api.key('acme', { scopes, name: `finance ${served.kind}` })
      buyer = await served.make('/v2/buyers', {
        name: 'ab',
        first_name: 'Ada',
        last_name: 'Byron',
        credit: 5,
      })
    })

    const makeDeal = (more: object = {}) =>
      served.make('/v2/deals', { title: `deal ${++titles}`, buyer_id: buyer.id, ...more })
    const stored = async (path: string) => (await served.get(path, { as: finance })).data
    const refused = [403, 'scope-missing']

    describe('sending one is 403 for callers without the scope', () => {
      test('in POST, PUT and PATCH, whatever its value, and names the scope and the field', async () => {
        const deal = await makeDeal({ cost: 3 })
        const path = `/v2/deals/${deal.id}`
        const whole = { title: 'x', buyer_id: buyer.id }
        for (const cost of [3, 4, null, 'text']) {
          for (const [method, url, body] of [
            ['POST', '/v2/deals', { ...whole, cost }],
            ['PUT', path, { ...whole, cost }],
            ['PATCH', path, { cost }],
          ] as const) {
            const answer = await served.call(method, url, { as: plain, body })
            expect(answer.refusal, `${method} ${cost}`).toEqual(refused)
            expect(answer.faults).toEqual(['#/cost'])
            expect(answer.problem).toMatchObject({
              scope: 'trade:finance',
              detail: 'cost needs the scope "trade:finance", which these credentials lack.',
            })
            expect(answer.headers.get('www-authenticate')).toBe(
              'Bearer realm="api", error="insufficient_scope", scope="trade:finance"',
            )
          }
        }
        expect(await stored(path)).toEqual(deal)
      })

      test('the refusal is the same for a row that does not exist', async () => {
        const deal = await makeDeal({ audit: 'open' })
        const missing = deal.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
        const [there, gone] = await Promise.all(
          [deal.id, missing].map((id) =>
            served.call('PATCH', `/v2/deals/${id}`, { as: plain, body: { audit: 'closed' } }),
          ),
        )
        expect(there?.refusal).toEqual(refused)
        expect({ ...there?.problem, instance: '' }).toEqual({ ...gone?.problem, instance: '' })
      })

      test('all fields at once, in the names of the version that was called', async () => {
        const deal = await makeDeal()
        const body = { spent: 1, code: 'x' }
        const answer = await served.call('PATCH', `/v1/deals/${deal.id}`, { as: plain, body })
        expect(answer.refusal).toEqual(refused)
        expect(answer.faults).toEqual(['#/spent', '#/code'])
        const made = await served.call('POST', '/v1/buyers', {
          as: plain,
          body: { name: 'x', full_name: 'A B', credit: 1 },
        })
        expect(made.refusal).toEqual(refused)
        expect(made.problem.scope).toBe('buyers:private trade:finance')
      })
    })

    describe('a create without the scope', () => {
      test('gets the defaults, and its answer does not show them', async () => {
        const body = { title: 'mine', buyer_id: buyer.id }
        const made = await served.call('POST', '/v2/deals', { as: plain, body })
        expect(made.status).toBe(201)
        expect(Object.keys(made.data)).toEqual(['id', 'buyer_id', 'title', 'created_at', 'updated_at'])
        const shown = await served.get(`/v2/deals/${made.data.id}`, { as: plain })
        expect([made.text, made.etag]).toEqual([shown.text, shown.etag])
        expect(await stored(`/v2/deals/${made.data.id}`)).toMatchObject({
          cost: null,
          rate: 7,
          audit: 'open',
        })
        const older = await served.call('POST', '/v1/buyers', { as: plain, body: { name: 'older' } })
        expect(older.status).toBe(201)
        expect(Object.keys(older.data)).toEqual(['id', 'name', 'created_at', 'updated_at'])
      })

      test('is 403 where such a field must be sent', async () => {
        for (const version of ['v1', 'v2']) {
          const path = `/${version}/ledgers`
          const answer = await served.call('POST', path, { as: plain, body: { title: 'x' } })
          expect(answer.refusal).toEqual(refused)
          expect(answer.faults).toEqual(['#/balance'])
        }
        expect((await served.call('POST', '/v2/ledgers', { as: finance, body: { title: 'x' } })).status).toBe(
          422,
        )
        await served.make('/v2/ledgers', { title: 'x', balance: 1 }, { as: finance })
      })
    })

    describe('what GET showed can be sent back by PUT', () => {
      test('and the stored values stay', async () => {
        const deal = await makeDeal({ cost: 31, code: `p${titles}`, rate: 9 })
        for (const version of ['v1', 'v2']) {
          const path = `/${version}/deals/${deal.id}`
          const { data, etag } = await served.get(path, { as: plain })
          const body = { ...data, title: `changed in ${version}` }
          const answer = await served.call('PUT', path, { as: plain, body, headers: { 'if-match': etag } })
          expect(answer.status, answer.text).toBe(200)
          expect(Object.keys(answer.data)).toEqual(Object.keys(data))
        }
        expect(await stored(`/v2/deals/${deal.id}`)).toMatchObject({
          title: 'changed in v2',
          cost: 31,
          rate: 9,
          code: deal.code,
        })
      })

      test('also where code makes the field of an older version', async () => {
        const path = `/v1/buyers/${buyer.id}`
        const { data } = await served.get(path, { as: plain })
        const answer = await served.call('PUT', path, { as: plain, body: { ...data, name: 'put' } })
        expect(answer.status, answer.text).toBe(200)
        expect(answer.text).not.toMatch(/Ada|full_name/)
        expect(await stored(`/v2/buyers/${buyer.id}`)).toMatchObject({
          name: 'put',
          first_name: 'Ada',
          last_name: 'Byron',
          credit: 5,
        })
      })

      test('while a PUT with the scope replaces them', async () => {
        const deal = await makeDeal({ cost: 31 })
        const body = { title: 'whole', buyer_id: buyer.id }
        const answer = await served.call('PUT', `/v2/deals/${deal.id}`, { as: finance, body })
        expect(answer.data).toMatchObject({ cost: null })
      })
    })

    describe('filtering and sorting by one', () => {
      test('is 403 for callers without the scope, and names the parameter', async () => {
        for (const [query, faults] of [
          ['filter[cost]=4', ['filter[cost]']],
          ['filter[cost][gt]=4&sort=-cost', ['filter[cost][gt]', 'sort']],
          ['filter[audit]=open&filter[title]=x', ['filter[audit]']],
          ['sort=title,cost', ['sort']],
        ] as const) {
          const answer = await served.get(`/v2/deals?${query}`, { as: plain })
          expect(answer.refusal, query).toEqual(refused)
          expect(answer.faults).toEqual(faults)
          expect(answer.problem.scope).toBe('trade:finance')
          expect((await served.get(`/v2/deals?${query}`, { as: finance })).status, query).toBe(200)
        }
        const older = await served.get('/v1/deals?filter[spent]=4', { as: plain })
        expect(older.faults).toEqual(['filter[spent]'])
        expect((await served.get('/v2/deals?sort=title', { as: plain })).status).toBe(200)
      })

      test('is 403 for a cursor of somebody who has the scope too', async () => {
        await makeDeal({ cost: 1 })
        await makeDeal({ cost: 2 })
        const { page } = await served.get('/v2/deals?sort=cost&limit=1', { as: finance })
        const query = `sort=cost&limit=1&cursor=${page.next_cursor}`
        expect((await served.get(`/v2/deals?${query}`, { as: plain })).refusal).toEqual(refused)
      })
    })

    test('a replay shows a caller without the scope no more than any other answer', async () => {
      const body = { title: 'keyed', buyer_id: buyer.id }
      const headers = { 'idempotency-key': 'scoped' }
      const first = await served.call('POST', '/v2/deals', { as: finance, body, headers })
      expect(first.data).toMatchObject({ rate: 7 })
      const other = await served.call('POST', '/v2/deals', { as: plain, body, headers })
      expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
      const shown = await served.get(`/v2/deals/${first.data.id}`, { as: plain })
      expect([other.text, other.etag]).toEqual([shown.text, shown.etag])
      const again = await served.call('POST', '/v2/deals', { as: finance, body, headers })
      expect([again.text, again.etag]).toEqual([first.text, first.etag])
    })

    test('a state that needs a scope still decides, and its refusal says nothing about it', async () => {
      const deal = await makeDeal()
      await served.call('PATCH', `/v2/deals/${deal.id}`, { as: finance, body: { audit: 'closed' } })
      const path = `/v2/deals/${deal.id}/lines`
      const body = { text: 'late' }
      const whole = await served.call('POST', path, { as: finance, body })
      expect(whole.json).toMatchObject({ field: 'audit', value: 'closed', allowed: ['open'] })
      const part = await served.call('POST', path, { as: plain, body })
      expect(part.refusal).toEqual([409, 'state-conflict'])
      expect(part.json).toMatchObject({ field: null, value: null, allowed: [] })
      expect(part.text).not.toMatch(/audit|closed|"open/)
    })

    test('a unique value that is taken is named without the fields that need a scope', async () => {
      const taken = await makeDeal({ code: 'same' })
      const other = await makeDeal({ code: 'same' })
      const path = `/v2/deals/${other.id}`
      const body = { title: taken.title }
      const whole = await served.call('PATCH', path, { as: finance, body })
      expect([whole.refusal, whole.faults]).toEqual([
        [409, 'unique-conflict'],
        ['#/title', '#/code'],
      ])
      const part = await served.call('PATCH', path, { as: plain, body })
      expect([part.refusal, part.faults]).toEqual([[409, 'unique-conflict'], ['#/title']])
      expect(part.text).not.toMatch(/same/)
    })

    describe('of shared rows', () => {
      let star: string
      let good: Row
      beforeAll(async () => {
        const scopes = ['*', 'goods:write']
        star = await served.api.key('acme', { scopes, name: `star ${served.kind}` })
        good = await served.make('/v2/goods', { name: 'tea', purchase_price: 3 }, { as: finance })
      })

      test('* shows them and finds by them', async () => {
        expect((await served.get(`/v2/goods/${good.id}`, { as: star })).data).toEqual(good)
        const { rows } = await served.get('/v2/goods?filter[purchase_price]=3', { as: star })
        expect(rows).toEqual([good])
      })

      test('and a caller without credentials is asked for them', async () => {
        const { data } = await served.get(`/v2/goods/${good.id}`, { as: null })
        expect(data).not.toHaveProperty('purchase_price')
        const asked = await served.get('/v2/goods?filter[purchase_price]=3', { as: null })
        expect(asked.refusal).toEqual([401, 'credentials-missing'])
      })

      test('but sets them only with the scope by its name', async () => {
        const path = `/v2/goods/${good.id}`
        for (const [method, url, body] of [
          ['POST', '/v2/goods', { name: 'x', purchase_price: 3 }],
          ['PUT', path, { name: 'x', purchase_price: 4 }],
          ['PATCH', path, { purchase_price: null }],
        ] as const) {
          const answer = await served.call(method, url, { as: star, body })
          expect(answer.refusal, method).toEqual(refused)
          expect(answer.faults).toEqual(['#/purchase_price'])
        }
      })

      test('and a PUT sends them back, or leaves them out, without changing them', async () => {
        const path = `/v2/goods/${good.id}`
        for (const body of [{ name: 'green tea' }, { name: 'black tea', purchase_price: 3 }]) {
          const answer = await served.call('PUT', path, { as: star, body })
          expect(answer.data).toMatchObject({ ...body, purchase_price: 3 })
        }
      })
    })
  },
  { declaration: trade },
)
