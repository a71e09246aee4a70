import { expect, test } from 'vitest'
import { emptyDatabase } from '../support/databases.ts'
import { serve } from '../support/serving.ts'
import { openForTest } from '../support/stores.ts'
import { until } from '../support/until.ts'

test('while requests of one account wait for a row, those of others are answered, and more of the one are 503', async () => {
  const url = await emptyDatabase('postgres')
  const api = await serve('postgres', `${url}?pool=6&connect_timeout=1&lock_timeout=30000`)
  const mine = await api.make('/v2/customers', { name: 'Held', email: 'held@example.com' })
  const other = { as: 'other' }
  const theirs = await api.make('/v2/customers', { name: 'Free', email: 'free@example.com' }, other)
  const rename = (id: string, as: string) =>
    api.call('PATCH', `/v2/customers/${id}`, {
      as,
      body: { name: 'Renamed' },
      headers: { 'content-type': 'application/merge-patch+json', 'if-match': '*' },
    })

  const locked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const outside = await openForTest(url)
  const holder = outside.transaction(async (tx) => {
    await tx.first('SELECT 1 FROM "customers" WHERE "id" = $1::text FOR UPDATE', [mine.id])
    locked.resolve()
    await gate.promise
  })
  await locked.promise

  const renames = Array.from({ length: 12 }, () => rename(mine.id, 'acme'))
  await until(() => api.store.counters.waiting === 9, { what: 'nine of twelve waiting for a connection' })
  expect((await rename(theirs.id, 'other')).status).toBe(200)
  expect((await api.get(`/v2/customers/${theirs.id}`, other)).status).toBe(200)
  await until(() => api.store.counters.waiting === 0, { what: 'the nine being refused' })
  const refused = await rename(mine.id, 'acme')
  expect(refused.refusal).toEqual([503, 'store-unavailable'])
  expect(refused.headers.get('retry-after')).toBe('1')
  gate.resolve()
  await holder
  const statuses = (await Promise.all(renames)).map(({ status }) => status).sort()
  expect(statuses).toEqual([200, 200, 200, ...Array.from({ length: 9 }, () => 503)])
})
