import { expect, test } from 'vitest'
import { describeServing, type Serving } from '../support/serving.ts'
import { until } from '../support/until.ts'

const create = (served: Serving, email: string) =>
  served.call('POST', '/v2/customers', {
    body: { name: 'Ada'.padEnd(200, '.'), email },
    headers: { 'Idempotency-Key': email },
  })

const refused = async (served: Serving, email: string, detail: RegExp): Promise<void> => {
  const answer = await create(served, email)
  expect(answer.refusal).toEqual([503, 'store-unavailable'])
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(answer.problem.detail).toMatch(detail)
  expect((await served.get('/v2/customers?limit=1')).status).toBe(200)
}

describeServing(
  'a store that takes no writes',
  (served) => {
    test('a full disk: 503 says so, reads go on, and the same key creates the row when there is room', async () => {
      const room = (pages: number) =>
        served.store.transaction((tx) => tx.first(`PRAGMA max_page_count = ${pages}`, []))
      await room(1)
      for (let at = 0; (await create(served, `full-${at}@disk.example`)).status === 201; at++);
      await refused(served, 'full@disk.example', /^The disk of the store is full: .* reads go on\. Retry; /)
      await room(1_000_000)
      expect((await create(served, 'full@disk.example')).status).toBe(201)
    })

    test('a store that can only be read: 503 says so, and writes resume by themselves', async () => {
      await served.store.first('PRAGMA query_only = ON', [])
      await refused(served, 'read-only@disk.example', /^The store can only be read at the moment\. Retry; /)
      await served.store.first('PRAGMA query_only = OFF', [])
      expect((await create(served, 'read-only@disk.example')).status).toBe(201)
    })
  },
  {},
  ['sqlite'],
)

describeServing(
  'a store that takes no writes',
  (served) => {
    test('a database that can only be read: 503 says so, and writes resume by themselves', async () => {
      await served.key('acme')
      const [[name] = []] = await served.store.all('SELECT current_database()', [])
      /** As a failover does: sessions end, and new ones find a server in the other mode. */
      const setReadOnly = (on: boolean) =>
        served.store.session(async (session) => {
          await session.script('SET default_transaction_read_only = off')
          await session.script(`ALTER DATABASE "${name}" SET default_transaction_read_only = ${on}`)
          await session.script(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()`,
          )
        })
      await setReadOnly(true)
      await until(async () => (await served.get('/v2/customers?limit=1')).status === 200)
      await refused(served, 'read-only@disk.example', /^The store can only be read at the moment\. Retry; /)
      await setReadOnly(false)
      await until(async () => (await create(served, 'read-only@disk.example')).status === 201)
    })
  },
  {},
  ['postgres'],
)
