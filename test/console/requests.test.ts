import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { RecentRequests } from '../../src/console/requests/recent-requests.ts'
import { emptyNote } from '../../src/serve/shell.ts'
import { testApi } from '../../src/testing.ts'
import { whenOver } from '../support/clean-up.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'
import { describeStores } from '../support/stores.ts'

const evil = '<script>alert(1)</script>'

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (const item of items) done.push(await work(item))
  return done
}

describeStores('requests in the console', (store) => {
  test('a request is found by its id, with what it asked and who, and without what it sent', async () => {
    const served = await testApi(shop, { databaseUrl: await store.url() })
    whenOver(() => served.close())
    const ada = await OperatorBrowser.signedIn(served)
    const secret = await served.key('acme')
    const get = (path: string, authorization = `Bearer ${secret}`) =>
      served.fetch(path, { headers: { authorization } })
    const missing = await get('/v2/orders/nowhere?include=customer')
    const fine = await get('/v2/customers?search=confidential')
    const refused = await get('/v2/orders', 'Bearer nk_wrong')
    await served.fetch('/v2/orders', { method: 'BREW' })
    await get(`/${evil}`)
    const idOf = (response: Response) => response.headers.get('x-request-id') ?? ''

    const found = await ada.get(`/console/requests?id=${idOf(missing)}`)
    expect(found.text).toMatch(
      /GET \/v2\/orders\/\{id\}<\/code><\/td><td>404<\/td>.*<td class="figure">\d+ in \d+\.\d ms<\/td><td>acme<\/td>.*key_/,
    )
    expect(((await missing.json()) as { readonly instance: string }).instance).toBe(idOf(missing))
    expect(found.text).not.toContain(idOf(fine))
    const all = await ada.get('/console/requests')
    for (const response of [missing, fine, refused])
      expect(all.text).toContain(`<code>${idOf(response)}</code>`)
    for (const text of ['confidential', 'nowhere', secret, 'nk_wrong', '/console/', '<script>'])
      expect(all.text.split('<table>')[1]).not.toContain(text)
    const failed = await ada.get('/console/requests?status=failed')
    expect([failed.text.includes(idOf(fine)), failed.text.includes(idOf(refused))]).toEqual([false, true])
    const other = await ada.get('/console/requests?account=globex')
    expect(other.text).toContain('None yet.')
    const unknown = await ada.get(`/console/requests?id=${encodeURIComponent(evil)}`)
    expect([unknown.text.includes('Not among'), unknown.text.includes(evil)]).toEqual([true, false])
  })

  test('statements count for the request that sent them, also among many at once', async () => {
    const served = await testApi(shop, { databaseUrl: await store.url() })
    whenOver(() => served.close())
    const secret = await served.key('acme')
    const made: string[] = []
    const counted = async (method: string, path: string, body?: object) => {
      const headers = {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      }
      const answer = await served.fetch(path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      const id = answer.headers.get('x-request-id') ?? ''
      const { data } = (await answer.json()) as { readonly data?: { readonly id: string } }
      if (method === 'POST' && data) made.push(data.id)
      return [answer.status, served.service.recentRequests.find(id)?.statements]
    }
    const customer = { name: 'Ada', email: 'ada@example.com' }
    // A key is looked up once a second, which one of the requests then pays for.
    const areAlike = (answers: readonly (readonly unknown[])[], status: number, least: number) =>
      expect(
        answers.filter(
          ([given, statements]) => given !== status || ![least, least + 1].includes(Number(statements)),
        ),
      ).toEqual([])
    // The first call looks up the key, and the first page of the list is planned.
    await counted('GET', '/v2/customers')
    const create = (n: number) =>
      counted('POST', '/v2/customers', { ...customer, email: `ada${n}@example.com` })
    const createAlone = Math.min(
      ...(await inTurn([1, 2], create)).map(([, statements]) => Number(statements)),
    )
    areAlike([await counted('GET', '/v2/customers')], 200, 1)
    areAlike([await counted('GET', '/v2/orders/nowhere')], 404, 1)
    const twenty = Array.from({ length: 20 }, (_, n) => n + 3)
    const [created, listed] = await Promise.all([
      Promise.all(twenty.map(create)),
      Promise.all(twenty.map(() => counted('GET', '/v2/customers?limit=1&include=orders'))),
    ])
    areAlike(created, 201, createAlone)
    areAlike(listed, 200, 1)
    // On SQLite transactions that wait are begun by whoever ends the one before.
    const change = (id: string) => counted('PATCH', `/v2/customers/${id}`, { name: 'Grace' })
    const changeAlone = Math.min(
      ...(await inTurn(made.slice(0, 2), change)).map(([, statements]) => Number(statements)),
    )
    areAlike(await Promise.all(made.slice(2).map(change)), 200, changeAlone)
    expect([createAlone > 0, changeAlone > 2]).toEqual([true, true])
  })
})

test('the last thousand requests are kept, newest first', () => {
  const recent = new RecentRequests()
  for (let n = 1; n <= 2_500; n++)
    recent.add({ ...emptyNote(), id: `${n}`, at: n, method: 'GET', status: n === 7 ? 500 : 200, ms: 1 })
  const ids = recent.list().map(({ id }) => id)
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, '2500', '1501'])
  expect([recent.find('1501')?.at, recent.find('1500')]).toEqual([1_501, null])
  expect([recent.wrong().map(({ id }) => id), recent.find('7')?.status]).toEqual([['7'], 500])
})
