import { expect, test } from 'vitest'
import { emptyDatabase } from '../support/databases.ts'
import { newKey, startServer } from '../support/server-process.ts'

test('every answered request has a line in the log, also those just before SIGTERM', async () => {
  const databaseUrl = await emptyDatabase('sqlite')
  const server = await startServer(databaseUrl, { env: { NOUNKIT_LOG: 'info' } })
  const key = await newKey(databaseUrl)
  const calls = 300
  const answers = await Promise.all(
    Array.from({ length: calls }, () => server.call('GET', '/v2/products?limit=1', { key })),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  await server.child.kill('SIGTERM')
  const lines = server.child.stdout.split('\n').filter((line) => line.includes('"msg":"request"'))
  expect(lines.filter((line) => line.includes('"route":"/products"'))).toHaveLength(calls)
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 30, method: 'GET' })
})
