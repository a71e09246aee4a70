import { counted } from '../../compile/names/plural.ts'
import { readConsumers } from '../../lifecycle/consumers.ts'
import { type ConsumerUsage, usageReport, type VersionUsage } from '../../lifecycle/usage-report.ts'
import { readOperationDays } from '../../lifecycle/usage-rows.ts'
import { html, type Markup, table } from '../../pages/markup.ts'
import type { ConsolePage, ShownPage, Visit } from '../console-page.ts'
import { noSuchPage } from '../console-refusal.ts'
import { timeShown } from '../time-shown.ts'
import { callsByDay } from './calls-by-day.ts'
import { callsPicture, dayTrend } from './day-trend.ts'

export const consumersPath = '/console/consumers'

/** Names of consumers may have any character, and clients of tokens have slashes. */
export const consumerUrl = (
  link: Visit['link'],
  { account, name }: Pick<ConsumerUsage, 'account' | 'name'>,
): string => link(`${consumersPath}/one`, { of: account, name })

/** `/console/consumers/one?of=acme&name=till`: what a consumer calls in which version, by day. */
export const consumerPage: ConsolePage = {
  kind: 'page',
  path: `${consumersPath}/one`,
  get: shownConsumer,
}

async function shownConsumer({ parts, query, link }: Visit): Promise<ShownPage> {
  const { store, model, clock } = parts
  const account = query.get('of') ?? ''
  const name = query.get('name') ?? ''
  const report = await usageReport(store, model, clock.now(), { account })
  const isIt = (one: ConsumerUsage): boolean => one.account === account && one.name === name
  const used = report.versions.flatMap((version) => {
    const usage = version.consumers.find(isIt)
    return usage ? [{ version, usage }] : []
  })
  const [first] = used
  if (!first) throw noSuchPage()
  const { days } = report
  const span = { since: Date.parse(`${days[0]}T00:00:00Z`), account }
  const consumers = await readConsumers(store)
  const rows = await readOperationDays(store, span)
  const own = rows.filter(({ consumer }) => consumers.find(account, consumer).name === name)
  const byVersion = callsByDay(own, consumers, days, ({ version }) => version)
  const byOperation = callsByDay(own, consumers, days, ({ version, operation }) => `${version} ${operation}`)
  const section = ({ version, usage }: { version: VersionUsage; usage: ConsumerUsage }): Markup => {
    const calls = byVersion.get(version.version) ?? days.map(() => 0)
    return html`<h2>${version.version}</h2>
<p>${counted(usage.calls, 'call')}, the last at ${timeShown(usage.lastSeen)} UTC.</p>
${callsPicture(version.version, calls, days)}
${table(
  `What ${name} calls in ${version.version}`,
  ['Operation', { figure: 'Calls' }, 'By day'],
  usage.operations.map(
    ({ operation, calls: all }) =>
      html`<tr><td><code>${operation}</code></td><td class="figure">${all.toLocaleString('en')}</td><td>${dayTrend(byOperation.get(`${version.version} ${operation}`) ?? [], days, `Calls of ${operation}`)}</td></tr>`,
  ),
)}`
  }
  const { kind, contact } = first.usage
  return {
    title: name,
    isWide: true,
    body: html`<p class="crumbs"><a href="${link(consumersPath)}">Consumers</a></p>
<h1>${name}</h1>
<p>${model.soleAccount === null && html`Of the account <b>${account}</b>. `}It counts as ${kind}.${contact !== null && html` To be told when a version ends: ${contact}.`} Calls from ${days[0]} to ${days.at(-1)}.</p>
${used.map(section)}`,
  }
}
