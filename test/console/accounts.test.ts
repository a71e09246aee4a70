import { afterAll, beforeAll, expect, it } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { exportAccount } from '../../src/accounts/export-account.ts'
import { readAuditPage } from '../../src/audit/audit-page.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'
import { describeWalked } from '../support/stores.ts'

const evil = '<script>alert(1)</script><img src=x>'

describeWalked('accounts in the console', (store) => {
  let now = Date.parse('2026-08-01T12:00:00Z')
  // A process is seen to write because its time moves on.
  const clock = { now: () => ++now }
  let served: TestApi
  let ada: OperatorBrowser
  const keys = new Map<string, string>()

  beforeAll(async () => {
    served = await testApi(shop, { databaseUrl: await store.url(), clock })
    ada = await OperatorBrowser.signedIn(served, 'ada', clock)
    for (const account of ['hooli', 'wayne', evil]) {
      keys.set(account, await served.key(account))
      for (let n = 0; n < 3; n++)
        await call(account, 'POST', { name: `Customer ${n} ${evil}`, email: `c${n}@example.com` })
    }
  })
  afterAll(() => served.close())

  const call = (account: string, method: string, body?: object) =>
    served.fetch('/v2/customers', {
      method,
      headers: {
        authorization: `Bearer ${keys.get(account)}`,
        'content-type': 'application/json',
        ...(body && { 'idempotency-key': `make-${++now}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const acts = async (account: string) => {
    const { entries } = await readAuditPage(served.service, { account, operator: 'ada', limit: 100 })
    return entries.map(({ action, detail }) => [action, (detail as { account?: string } | null)?.account])
  }
  const at = (path: string, account: string) => `/console/accounts${path}?${new URLSearchParams({ account })}`

  it('accounts are listed with their rows, and no name of one becomes markup', async () => {
    const { text } = await ada.get('/console/accounts')
    for (const account of ['hooli', 'wayne'])
      expect(text).toMatch(new RegExp(`account=${account}">${account}</a></td><td class="figure">3</td>`))
    expect(text).toContain('&lt;script&gt;')
    const asked = await ada.get(at('/delete', evil))
    for (const shown of [text, asked.text]) expect(shown).not.toMatch(/<script>|<img/)
  })

  it('an account is exported as a file, and that is recorded', async () => {
    const page = await ada.get('/console/accounts')
    const form = { ...page, text: page.text.slice(page.text.indexOf('>hooli</a>')) }
    const file = await ada.submitIn(form, '/console/accounts/export', {})
    let expected = ''
    await exportAccount(served.service, 'hooli', (text) => {
      expected += text
    })
    expect(expected.split('\n')).toHaveLength(4)
    expect([file.status, file.text]).toEqual([200, expected])
    expect(file.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''hooli.ndjson")
    expect(file.headers.get('cache-control')).toBe('no-store')
    expect(await acts('hooli')).toContainEqual(['account-exported', undefined])
    // Nothing is exported by a link.
    expect((await ada.get(at('/export', 'hooli'))).status).toBe(405)
  })

  it('an account is deleted after its name was typed, and no other one', async () => {
    const wrong = await ada.submit(at('/delete', 'hooli'), '/console/accounts/delete', { typed: 'Hooli' })
    expect([wrong.status, wrong.text.includes('Nothing was deleted')]).toEqual([422, true])
    expect((await call('hooli', 'GET')).status).toBe(200)
    const done = await ada.submitIn(wrong, '/console/accounts/delete', { typed: 'hooli' })
    expect(done.location).toBe('/console/accounts?done=begun')
    expect((await ada.submitIn(wrong, '/console/accounts/delete', { typed: 'hooli' })).status).toBe(303)
    await expect
      .poll(
        async () => {
          await served.service.lifecycle.beat()
          return acts('')
        },
        { timeout: 30_000, interval: 100 },
      )
      .toContainEqual(['account-deleted', 'hooli'])
    expect((await acts('')).filter(([act]) => act === 'account-deletion-begun')).toHaveLength(1)
    // Processes know a key for some seconds.
    await expect.poll(async () => (await call('hooli', 'GET')).status, { timeout: 30_000 }).toBe(401)
    expect((await call('wayne', 'GET')).status).toBe(200)
    const { text } = await ada.get('/console/accounts')
    expect([text.includes('>hooli</a>'), text.includes('>wayne</a>')]).toEqual([false, true])
  })

  it('a deletion that begins as the service stops ends between two parts, and goes on later', async () => {
    const databaseUrl = await store.url()
    const first = await testApi(shop, { databaseUrl, clock })
    const secret = await first.key('initech')
    const bob = await OperatorBrowser.signedIn(first, 'bob', clock)
    await bob.submit(at('/delete', 'initech'), '/console/accounts/delete', { typed: 'initech' })
    await first.close()
    const second = await testApi(shop, { databaseUrl, clock })
    const eve = await OperatorBrowser.signedIn(second, 'eve', clock)
    expect((await eve.get('/console/accounts')).text).toContain('its deletion was begun')
    const headers = { authorization: `Bearer ${secret}` }
    expect((await second.fetch('/v2/customers', { headers })).status).toBe(401)
    await eve.submit(at('/delete', 'initech'), '/console/accounts/delete', { typed: 'initech' })
    await expect
      .poll(
        async () => {
          await second.service.lifecycle.beat()
          return (await readAuditPage(second.service, { account: '', limit: 100 })).entries.map(
            (one) => one.action,
          )
        },
        { timeout: 30_000, interval: 100 },
      )
      .toContain('account-deleted')
    await second.close()
  })
})
