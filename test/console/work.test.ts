import { afterAll, beforeAll, expect, it } from 'vitest'
import { readAuditPage } from '../../src/audit/audit-page.ts'
import { type TestApi, testApi } from '../../src/testing.ts'
import { hooksApi, testWebhooks } from '../support/hooks-api.ts'
import { jobsApi } from '../support/jobs-api.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'
import { describeStores } from '../support/stores.ts'

const evil = '<script>alert(1)</script><img src=x onerror=alert(1)>'

interface Row {
  readonly id: string
}

const caller = async (served: TestApi) => {
  const key = await served.key('acme', { name: evil })
  return async <Data = Row>(method: string, path: string, body?: object): Promise<Data> => {
    const response = await served.fetch(path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return ((await response.json()) as { readonly data: Data }).data
  }
}
const lastAct = async (served: TestApi) => {
  const { entries } = await readAuditPage(served.service, { account: 'acme', operator: 'ada', limit: 1 })
  return entries[0]
}

describeStores('jobs in the console', (store) => {
  const { declaration, seen, runs } = jobsApi([])
  let served: TestApi
  let ada: OperatorBrowser

  beforeAll(async () => {
    served = await testApi(declaration, { databaseUrl: await store.url() })
    ada = await OperatorBrowser.signedIn(served)
  })
  afterAll(() => served.close())

  it('a job that failed is shown with its error, and runs once more after it was asked once', async () => {
    const call = await caller(served)
    const jobs = '/console/jobs?account=acme'
    runs.Emma = () => Promise.reject(new Error(`${evil} ${'far too long '.repeat(20)}`))
    await call('POST', '/v1/loans', { text: 'Emma' })
    expect((await ada.get(`${jobs}&status=waiting`)).text).toContain('<b>remind</b>')
    await served.runJobs()
    const failed = await ada.get(`${jobs}&status=failed`)
    expect(failed.text).toContain('&lt;script&gt;')
    expect(failed.text).not.toMatch(/<script>|<img/)
    // A long one is cut in its cell, and opened there.
    expect(failed.text).toMatch(
      /<summary>[^<]{60,200}…<\/summary><pre tabindex="0" class="wrapped">[^<]{250,}</,
    )
    expect((await ada.get('/console/jobs?account=globex')).text).toContain('No jobs.')
    expect((await ada.get('/console/jobs')).text).toContain('1 failed')

    delete runs.Emma
    const asked = await ada.submitIn(failed, '/console/jobs/retry', {})
    const before = seen.length
    await served.runJobs()
    expect(seen).toHaveLength(before)
    const done = await ada.submitIn(asked, '/console/jobs/retry', {})
    expect(done.location).toBe('/console/jobs?account=acme&done=retried')
    expect(await lastAct(served)).toMatchObject({ action: 'job-retried', detail: { name: 'remind' } })
    await served.runJobs()
    expect(seen).toHaveLength(before + 1)
    expect((await ada.get(jobs)).text).toContain('No jobs.')
    const again = await ada.submitIn(asked, '/console/jobs/retry', {})
    expect(again.status).toBe(409)
  })
})

describeStores('webhooks and consumers in the console', (store) => {
  let served: TestApi
  let ada: OperatorBrowser
  let call: Awaited<ReturnType<typeof caller>>

  beforeAll(async () => {
    served = await testApi(hooksApi, { databaseUrl: await store.url(), webhooks: testWebhooks })
    ada = await OperatorBrowser.signedIn(served)
    call = await caller(served)
  })
  afterAll(() => served.close())

  it('endpoints and deliveries are shown, and an event is sent once more after it was asked once', async () => {
    const url = 'https://receiver.invalid/hooks'
    const { id } = await call('POST', '/v2/webhook-endpoints', {
      url,
      event_types: ['plans.created'],
      description: evil,
    })
    await call('POST', '/v2/notes', { text: 'a' })
    const [event] = await call<readonly [Row]>('GET', '/v2/events')
    const endpoints = await ada.get('/console/webhooks?account=acme')
    const path = `/console/webhooks/${id}?account=acme`
    expect(endpoints.text).toContain(`href="${path}"`)
    expect(endpoints.text).not.toMatch(/<script>|<img/)
    const deliveries = () => call<readonly Row[]>('GET', `/v2/webhook-endpoints/${id}/deliveries`)
    await call('POST', `/v2/webhook-endpoints/${id}/deliveries`, { event_id: event.id })
    const shown = await ada.get(path)
    expect(shown.text).toContain(`<code>${event.id}</code>`)
    const asked = await ada.submitIn(shown, `/console/webhooks/${id}`, {})
    expect(await deliveries()).toHaveLength(1)
    const done = await ada.submitIn(asked, `/console/webhooks/${id}`, {})
    expect(done.location).toBe(`${path}&done=sent`)
    expect(await deliveries()).toHaveLength(2)
    expect(await lastAct(served)).toMatchObject({
      action: 'delivery-retried',
      detail: { endpoint: id, event: event.id },
    })
    expect((await ada.get(`/console/webhooks/${id}?account=globex`)).status).toBe(404)
    expect((await ada.get('/console/webhooks?account=globex')).text).toContain('no endpoint')
  })

  it('who calls which version is shown, of one account or of all', async () => {
    await call('GET', '/v1/memos')
    await served.fetch('/v1/memos', {
      headers: { authorization: `Bearer ${await served.key('globex', { name: 'billing' })}` },
    })
    await served.service.lifecycle.beat()
    const all = await ada.get('/console/consumers')
    expect(all.text).toMatch(/Calls of v1 by day.*billing/s)
    expect(all.text).toContain('&lt;script&gt;')
    expect(all.text).not.toMatch(/<script>|<img/)
    const own = await ada.get('/console/consumers?account=globex')
    expect([own.text.includes('billing'), own.text.includes('&lt;script&gt;')]).toEqual([true, false])
    const pageOf = (name: string, of: string) =>
      ada.get(`/console/consumers/one?${new URLSearchParams({ of, name })}`)
    expect(own.text).toContain('href="/console/consumers/one?account=globex&amp;of=globex&amp;name=billing"')
    const billing = await pageOf('billing', 'globex')
    expect(billing.text).toMatch(
      /<code>GET \/memos<\/code><\/td><td class="figure">1<\/td>.*Calls of GET \/memos: .*1 today/,
    )
    expect(billing.text).not.toMatch(/<h2>v2|webhook-endpoints/)
    const other = await pageOf(evil, 'acme')
    expect(other.text).toMatch(/<h2>v2<.*POST \/webhook-endpoints.*<h2>v1<.*GET \/memos/s)
    expect(other.text).not.toMatch(/<script>|<img/)
    expect((await pageOf('billing', 'acme')).status).toBe(404)
  })
})
