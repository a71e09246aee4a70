import { readConsumers } from '../../lifecycle/consumers.ts'
import { usageReport } from '../../lifecycle/usage-report.ts'
import { readConsumerDays } from '../../lifecycle/usage-rows.ts'
import { html } from '../../pages/markup.ts'
import type { ConsolePage } from '../console-page.ts'
import { callsByDay } from './calls-by-day.ts'
import { consumersPath, consumerUrl } from './consumer-page.ts'
import { dayTrend } from './day-trend.ts'
import { usageSection } from './usage-section.ts'

/** `/console/consumers`: who calls which version, and how that changes over time; of the chosen account or of all. */
export const consumersPage: ConsolePage = {
  kind: 'page',
  path: consumersPath,
  inNavigation: 'Consumers',
  async get({ parts, account, link }) {
    const { store, model, clock } = parts
    const isSole = model.soleAccount !== null
    const only = isSole ? null : account
    const report = await usageReport(store, model, clock.now(), { account: only })
    const { days } = report
    const span = { since: Date.parse(`${days[0]}T00:00:00Z`), account: only }
    const byConsumer = callsByDay(
      await readConsumerDays(store, span),
      await readConsumers(store),
      days,
      ({ version, account: whose, consumer }) => JSON.stringify([version, whose, consumer]),
    )
    return {
      title: 'Consumers',
      isWide: true,
      body: html`<h1>Consumers</h1>
<p>A consumer is all API keys of one name, or the client of a token. Its page has what it calls.</p>
${usageSection(
  {
    report,
    account: only,
    url: (one) => consumerUrl(link, one),
    trend: (one, version) =>
      dayTrend(
        byConsumer.get(JSON.stringify([version, one.account, one.name])) ?? [],
        days,
        `Calls of ${version} by ${one.name}`,
      ),
  },
  !isSole,
)}`,
    }
  },
}
