import { expect, test } from 'vitest'
import { storeContact } from '../../src/lifecycle/contacts.ts'
import { decideRetirement } from '../../src/lifecycle/decide.ts'
import { collectFacts } from '../../src/lifecycle/facts.ts'
import { storeDecision } from '../../src/lifecycle/retirement-decisions.ts'
import { usageReport } from '../../src/lifecycle/usage-report.ts'
import { hooksApi, testWebhooks } from '../support/hooks-api.ts'
import { type Serving, serve } from '../support/serving.ts'
import { describeStores } from '../support/stores.ts'
import { until } from '../support/until.ts'

const url = 'https://receiver.example/hooks'
const windowMs = 30 * 86_400_000

describeStores('an active webhook endpoint', (store) => {
  const serving = async () =>
    serve(store.kind, await store.url(), { declaration: hooksApi, webhooks: testWebhooks })

  const versionOf = ({ api }: Serving, name: string) => {
    const version = api.service.model.versions.find((one) => one.name === name)
    if (!version) throw new Error(`no ${name}`)
    return version
  }
  const factsOf = (served: Serving, name: string) =>
    collectFacts(served.store, versionOf(served, name), { now: Date.now(), windowMs })
  const blockersOf = async (served: Serving, name: string) =>
    decideRetirement(await factsOf(served, name)).blockers.filter(({ kind }) => kind === 'webhook')

  test('holds up the retirement of its version until its owner was told', async () => {
    const served = await serving()
    const { id } = await served.make('/v1/webhook-endpoints', { url, event_types: ['*'] })
    const [blocker] = await blockersOf(served, 'v1')
    expect(blocker?.what).toContain(`webhook:${id} of acme is sent events of v1 (to ${url}`)
    expect(blocker?.lift).toContain(`nounkit contact v1 --account acme --consumer webhook:${id}`)
    expect(await blockersOf(served, 'v2')).toEqual([])
    const contact = { version: 'v1', account: 'acme', consumer: `webhook:${id}`, note: 'mail', by: null }
    await storeContact(served.store, { ...contact, at: Date.now() })
    expect(await blockersOf(served, 'v1')).toEqual([])
  })

  test.each(['inactive', 'gone'])('does not when it is %s', async (how) => {
    const served = await serving()
    const { id } = await served.make('/v1/webhook-endpoints', { url, event_types: ['*'] })
    const at = `/v1/webhook-endpoints/${id}`
    if (how === 'gone') await served.call('DELETE', at)
    else await served.call('PATCH', at, { body: { active: false } })
    expect(await blockersOf(served, 'v1')).toEqual([])
  })

  test('is shown in the usage of its version', async () => {
    const served = await serving()
    const { id } = await served.make('/v1/webhook-endpoints', { url, event_types: ['*'] })
    const shownTo = async (account: string | null) => {
      const report = await usageReport(served.store, served.api.service.model, Date.now(), { account })
      return report.versions.map(({ version, webhooks }) => [version, webhooks.map(({ name }) => name)])
    }
    const all = [
      ['v2', []],
      ['v1', [`webhook:${id}`]],
    ]
    expect(await shownTo(null)).toEqual(all)
    expect(await shownTo('acme')).toEqual(all)
    expect(await shownTo('globex')).toEqual([
      ['v2', []],
      ['v1', []],
    ])
  })

  test('ends with its version', async () => {
    const served = await serving()
    const { id } = await served.make('/v1/webhook-endpoints', { url, event_types: ['*'] })
    const facts = await factsOf(served, 'v1')
    await storeDecision(served.store, { version: 'v1', at: Date.now(), by: null }, facts)
    await served.api.service.lifecycle.beat()
    await served.make('/v2/notes', { text: 'x' })
    const shown = await until(async () => {
      const { data } = await served.get(`/v2/webhook-endpoints/${id}`)
      return data.active === false ? data : null
    })
    expect(shown).toMatchObject({ disabled_reason: 'version-retired', version: 'v1' })
  })
})
