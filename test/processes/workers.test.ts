import { beforeAll, describe, expect, test } from 'vitest'
import { walkedStores } from '../support/databases.ts'
import { prepareShop, type ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { figure } from './figures.ts'
import { workerPids } from './worker-pids.ts'

describe.each(walkedStores)('%s', (kind) => {
  let service: ServerProcess
  beforeAll(async () => {
    const shop = await prepareShop(kind)
    service = await shop.start({ args: ['--workers', '2'], env: { NOUNKIT_LOG: 'info' } })
  })
  // One connection per call, so that all workers get some.
  const get = (path: string) => fetch(service.url + path, { headers: { Connection: 'close' } })
  const bothServe = () => until(async () => (await figure(service, 'nounkit_processes')) === 2)

  test('two workers share one port, one of them prints the ready line, and metrics are the sum of both', async () => {
    await bothServe()
    for (let i = 0; i < 20; i++) expect((await get('/v2')).status).toBe(200)
    const counted = 'nounkit_requests_total{method="GET",route="none",version="none",status="200"}'
    expect(await figure(service, counted)).toBe(20)
    expect(service.child.stdout.match(/is ready/g)).toHaveLength(1)
  })

  test("both workers write at once, and no request fails because of the other's lock", async () => {
    const replies = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        service.call('POST', '/v2/customers', {
          body: { name: 'Ada', email: `ada-${index}@workers.example` },
          headers: { Connection: 'close' },
        }),
      ),
    )
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([201]))
    expect((await workerPids(service, 2)).length).toBe(2)
  })

  test('a worker that is killed is replaced, and the service goes on meanwhile', async () => {
    const [first, second] = await workerPids(service, 2)
    process.kill(first ?? 0, 'SIGKILL')
    await service.child.line(new RegExp(`worker ${first} ended \\(SIGKILL\\); another takes its place`))
    for (let i = 0; i < 4; i++) expect((await get('/v2')).status).toBe(200)
    const [, , replacement] = await workerPids(service, 3)
    expect([first, second]).not.toContain(replacement)
    await bothServe()
  })

  test('SIGTERM ends all of them in order', async () => {
    expect(await service.child.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    await expect(get('/v2')).rejects.toThrow()
  })
})
