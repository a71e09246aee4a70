import { counted } from '../../compile/names/plural.ts'
import { readConsumers } from '../../lifecycle/consumers.ts'
import { type ConsumerUsage, usageReport, type VersionUsage } from '../../lifecycle/usage-report.ts'
import { readConsumerDays } from '../../lifecycle/usage-rows.ts'
import { inline } from '../../pages/markdown.ts'
import { html, type Markup, table } from '../../pages/markup.ts'
import { dayOf, minuteOf } from '../../times.ts'
import type { ConsolePage, ShownPage, Visit } from '../console-page.ts'
import { callsByDay } from './calls-by-day.ts'
import { consumersPath, consumerUrl } from './consumer-page.ts'
import { callsPicture, dayTrend } from './day-trend.ts'

/** `/console/consumers`: who calls which version, and how that changes over time; of the chosen account or of all. */
export const consumersPage: ConsolePage = {
  kind: 'page',
  path: consumersPath,
  inNavigation: 'Consumers',
  get: shownConsumers,
}

interface Shown extends Pick<Visit, 'link'> {
  readonly days: readonly string[]
  readonly hasAccounts: boolean
  /** The calls of a consumer by day. */
  trend(one: ConsumerUsage, version: string): Markup
}

async function shownConsumers({ parts, account, link }: Visit): Promise<ShownPage> {
  const { store, model, clock } = parts
  const hasAccounts = model.soleAccount === null
  const only = hasAccounts ? account : null
  const { days, versions, gaps } = await usageReport(store, model, clock.now(), { account: only })
  const span = { since: Date.parse(`${days[0]}T00:00:00Z`), account: only }
  const byConsumer = callsByDay(
    await readConsumerDays(store, span),
    await readConsumers(store),
    days,
    ({ version, account: whose, consumer }) => JSON.stringify([version, whose, consumer]),
  )
  const trend = (one: ConsumerUsage, version: string): Markup => {
    const calls = byConsumer.get(JSON.stringify([version, one.account, one.name])) ?? []
    return dayTrend(calls, days, `Calls of ${version} by ${one.name}`)
  }
  const whose = only === null ? ' of all accounts' : html` of the account <b>${only}</b>`
  return {
    title: 'Consumers',
    isWide: true,
    body: html`<h1>Consumers</h1>
<p>A consumer is all API keys of one name, or the client of a token. Its page has what it calls.</p>
<h2 id="usage">Usage</h2>
<p>Calls${hasAccounts && whose} from ${days[0]} to ${days.at(-1)}.</p>
${versions.map((version) => versionSection(version, { days, hasAccounts, link, trend }))}
${
  gaps.length > 0 &&
  html`<h3>Gaps</h3><p>A process ended before it had written what it had counted:</p><ul>${gaps.map(({ from, until }) => html`<li>${minuteOf(from)} to ${minuteOf(until)}</li>`)}</ul>`
}`,
  }
}

const versionSection = (usage: VersionUsage, shown: Shown): Markup => {
  const total = usage.calls.reduce((sum, one) => sum + one, 0)
  return html`<h3>${usage.version}</h3>
<p>${total === 0 ? 'No calls.' : html`${counted(total, 'call')}, at most ${number(Math.max(...usage.calls))} on a day.`}${usage.anonymous && html` ${number(usage.anonymous.calls)} came without credentials.`}${usage.refused && html` ${number(usage.refused.calls)} more ${usage.refused.calls === 1 ? 'was' : 'were'} refused, because credentials were missing or the version is retired.`}</p>
${total > 0 && callsPicture(usage.version, usage.calls, shown.days)}
${usage.consumers.length > 0 && consumerTable(usage, shown)}`
}

/** Deprecated versions also have columns for what consumers still use, and whether they were contacted. */
const consumerTable = ({ version, deprecated, consumers }: VersionUsage, shown: Shown): Markup => {
  const isDeprecated = deprecated !== null
  const moving = isDeprecated ? ['Still uses', 'Contacted'] : []
  return table(
    `Consumers of ${version}`,
    [
      'Consumer',
      ...(shown.hasAccounts ? ['Account'] : []),
      'Kind',
      { figure: 'Calls' },
      'By day',
      'Last seen',
      ...moving,
    ],
    consumers.map(
      (one) => html`<tr>${consumerCells(one, version, shown)}${isDeprecated && movingCells(one)}</tr>`,
    ),
  )
}

const consumerCells = (one: ConsumerUsage, version: string, { hasAccounts, link, trend }: Shown): Markup =>
  html`<td><a href="${consumerUrl(link, one)}">${one.name}</a>${one.contact && html`<br><small>${one.contact}</small>`}</td>${hasAccounts && html`<td>${one.account}</td>`}<td>${one.kind}</td><td class="figure">${number(one.calls)}</td><td>${trend(one, version)}</td><td>${minuteOf(one.lastSeen)}</td>`

const movingCells = (one: ConsumerUsage): Markup =>
  html`<td>${stillUses(one)}</td><td>${one.contacted ? dayOf(one.contacted.at) : html`<span class="none">no</span>`}</td>`

const stillUses = ({ stillUses: all }: ConsumerUsage): Markup =>
  all.length === 0
    ? html`<span class="none">nothing that changed</span>`
    : html`<ul class="tight">${all.map(({ change, uses }) => html`<li>${inline(change)}: ${inline(uses.join(', '))}</li>`)}</ul>`

const number = (value: number): string => value.toLocaleString('en')
