import { expect, test } from 'vitest'
import { emptyDatabase } from '../support/databases.ts'
import { newKey, startServer } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { figure } from './figures.ts'

test('what a start and a burst of calls needed is given back when nobody calls, and calls go on after', async () => {
  const databaseUrl = await emptyDatabase('sqlite')
  const server = await startServer(databaseUrl)
  const key = await newKey(databaseUrl)
  await Promise.all(
    Array.from({ length: 2_000 }, () => server.call('GET', '/v2/products?limit=100', { key })),
  )
  const busy = await figure(server, 'process_resident_memory_bytes')
  const given = 5 * 1_048_576
  await until(async () => (await figure(server, 'process_resident_memory_bytes')) < busy - given, {
    every: 1_000,
    within: 17_000,
  })
  expect((await server.call('GET', '/v2/products', { key })).status).toBe(200)
})
