import { expect, test } from 'vitest'
import { describeServing } from '../support/serving.ts'
import { newCustomer, unique } from '../support/shop-rows.ts'

describeServing('a search of customers', (served) => {
  test('finds names and addresses in both versions, each in its own words', async () => {
    const word = `q${unique().replaceAll('-', '')}`
    const { id } = await newCustomer(served, { name: `Zoë ${word}`, email: `${word}@example.com` })
    for (const path of ['/v2/customers', '/v1/clients'])
      for (const search of [`zoe+${word}`, `${word.toUpperCase()}@example.com`, word.slice(0, -1)]) {
        const answer = await served.get(`${path}?search=${search}&limit=100`)
        expect(answer.status, answer.text).toBe(200)
        expect(answer.rows.map((row) => row.id)).toContain(id)
      }
    expect((await served.get(`/v2/customers?search=${word}`, { as: 'globex' })).rows).toEqual([])
    await served.call('PATCH', `/v1/clients/${id}`, { body: { full_name: 'Other' } })
    expect((await served.get(`/v2/customers?search=zoe+${word}`)).rows).toEqual([])
    expect((await served.get(`/v2/customers?search=other+${word}`)).rows).toHaveLength(1)
  })

  test('finds rows of the seed, and is not offered where it is not declared', async () => {
    const seeded = await served.get('/v2/customers?limit=1')
    const [first = ''] = String(seeded.rows[0]?.name).split(' ')
    const found = await served.get(`/v2/customers?search=${encodeURIComponent(first)}&limit=100`)
    expect(found.rows.map(({ id }) => id)).toContain(seeded.rows[0]?.id)
    for (const path of ['/v2/orders?search=a', '/v2/products?search=lamp'])
      expect((await served.get(path)).refusal).toEqual([400, 'bad-query'])
  })
})
