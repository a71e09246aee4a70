import { expect, test } from 'vitest'
import { emptyDatabase } from '../support/databases.ts'
import { declarationFolder, librarySource } from '../support/declaration-folder.ts'
import { newKey, type Reply, startServer } from '../support/server-process.ts'
import { figure } from './figures.ts'

const capacity = 20

test('at ten times its capacity the service answers everybody, turns the rest away with 503, and then serves as before', async () => {
  const api = declarationFolder(librarySource({ more: `limits: { requestsInFlight: ${capacity} }` }))
  const databaseUrl = await emptyDatabase('sqlite')
  const server = await startServer(databaseUrl, { api })
  const key = await newKey(databaseUrl)
  const create = (number: number): Promise<Reply> =>
    server.call('POST', '/v1/books', { key, idempotencyKey: `k${number}`, body: { title: '10 ms' } })

  const answers: Reply[] = []
  let number = 0
  const client = async (): Promise<void> => {
    while (number < 2_000) answers.push(await create(number++))
  }
  const clients = Array.from({ length: 10 * capacity }, client)
  expect((await fetch(`${server.url}/livez`)).status).toBe(200)
  expect(await figure(server, 'nounkit_requests_in_flight')).toBeLessThanOrEqual(capacity)
  await Promise.all(clients)

  const made = answers.filter(({ status }) => status === 201)
  const away = answers.filter(({ status }) => status === 503)
  expect(made.length + away.length).toBe(2_000)
  expect(made.length).toBeGreaterThanOrEqual(capacity)
  expect(away.length).toBeGreaterThan(0)
  for (const { headers } of away) expect(headers['retry-after']).toBe('1')

  for (let retry = 0; retry < 20; retry++) expect((await create(retry)).status).toBe(201)
  expect(await figure(server, 'nounkit_requests_in_flight')).toBe(0)
  const list = await server.call('GET', '/v1/books?limit=1', { key })
  expect(list.status).toBe(200)
})
