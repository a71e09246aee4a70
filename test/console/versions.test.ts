import { expect, test } from 'vitest'
import shop from '../../examples/shop/api.ts'
import { readAuditPage } from '../../src/audit/audit-page.ts'
import { testApi } from '../../src/testing.ts'
import { shopContracts } from '../contract/openapi-shop.ts'
import { whenOver } from '../support/clean-up.ts'
import { walkedStores } from '../support/databases.ts'
import { OperatorBrowser } from '../support/operator-browser.ts'
import { describeStores } from '../support/stores.ts'

const evil = '<script>alert(1)</script><img src=x onerror=alert(1)>'

describeStores(
  'versions in the console',
  (store) => {
    const open = async (day: string) => {
      let now = Date.parse(`${day}T12:00:00Z`)
      // A process is seen to write because its time moves on.
      const clock = { now: () => ++now }
      const options = { databaseUrl: await store.url(), contracts: await shopContracts(), clock }
      const served = await testApi(shop, options)
      const ada = await OperatorBrowser.signedIn(served, 'ada', clock)
      const authorization = `Bearer ${await served.key('acme', { name: evil })}`
      const call = () => served.fetch('/v1/clients?sort=full_name', { headers: { authorization } })
      await call()
      await served.service.lifecycle.beat()
      let isOver = false
      const beating = (async () => {
        while (!isOver) {
          await served.service.lifecycle.beat()
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      })()
      whenOver(async () => {
        isOver = true
        await beating
        await served.close()
      })
      const acts = async (account: string) =>
        (await readAuditPage(served.service, { account, operator: 'ada', limit: 1 })).entries[0]
      return { ada, call, acts, beat: () => served.service.lifecycle.beat() }
    }
    const v1 = '/console/versions/v1'

    test('who still uses what is shown, and a retirement is refused with what stands in its way', async () => {
      const { ada, call, acts } = await open('2026-08-01')
      const list = await ada.get('/console/versions')
      expect(list.text).toMatch(/versions\/v1">v1<\/a><\/td><td>deprecated.*1 consumer</)
      const shown = await ada.get(v1)
      expect(shown.text).toMatch(/clients<\/code>.*&lt;script&gt;/s)
      expect(shown.text).toContain('less than 6 calendar months ago')
      const refused = await ada.submitIn(shown, `${v1}/retire`, {})
      expect([refused.status, refused.text.includes('v1 was not retired: 3 things stand')]).toEqual([
        409,
        true,
      ])
      const forced = await ada.submitIn(shown, `${v1}/retire`, { confirmed: 'yes' })
      expect(forced.status).toBe(409)
      for (const { text } of [list, shown, refused, forced]) expect(text).not.toMatch(/<script>|<img/)
      expect((await call()).status).toBe(200)
      expect((await acts(''))?.action).not.toBe('version-retired')
      expect((await ada.get('/console/versions/v9')).status).toBe(404)
    })

    test('what operators do in the console keeps no version from its end', async () => {
      const { ada, beat } = await open('2026-08-01')
      await ada.get('/console/data/list/customers?account=acme')
      await beat()
      expect((await ada.get('/console/consumers')).text).toMatch(/operator:ada.*internal/s)
      const { text } = await ada.get('/console/versions/v2')
      expect(text).toContain('What stands in the way')
      expect(text).not.toContain('operator:ada made')
    })

    test('a consumer is told, the version is retired with its evidence, and served again', async () => {
      const { ada, call, acts } = await open('2027-02-15')
      const note = `mailed ${evil}`
      const asked = await ada.submit(v1, `${v1}/told`, { note })
      expect(asked.text).toContain('&lt;script&gt;')
      const told = await ada.submitIn(asked, `${v1}/told`, {})
      expect(told.location).toBe(`${v1}?done=told`)
      expect(await acts('acme')).toMatchObject({ action: 'consumer-contacted', detail: { note } })
      expect((await ada.submitIn(asked, `${v1}/told`, {})).status).toBe(409)

      const question = await ada.submit(v1, `${v1}/retire`, {})
      expect([question.text.includes('Retire v1?'), (await call()).status]).toEqual([true, 200])
      const done = await ada.submitIn(question, `${v1}/retire`, {})
      expect([done.status, done.location]).toEqual([303, `${v1}?done=retired`])
      expect(await acts('')).toMatchObject({ action: 'version-retired', detail: { version: 'v1' } })
      await expect.poll(async () => (await call()).status).toBe(410)
      const retired = await ada.get(v1)
      expect(retired.text).toContain('&quot;signalFirstSentAt&quot;')

      const why = await ada.submitIn(retired, `${v1}/withdraw`, { why: evil })
      await ada.submitIn(why, `${v1}/withdraw`, {})
      await expect.poll(async () => (await call()).status).toBe(200)
      expect(await acts('')).toMatchObject({ action: 'retirement-withdrawn', detail: { why: evil } })
      for (const { text } of [asked, question, retired, why, await ada.get(v1)])
        expect(text).not.toMatch(/<script>|<img/)
    })
  },
  walkedStores,
)
