import { counted } from '../../compile/names/plural.ts'
import type { ConsumerUsage, UsageReport, VersionUsage } from '../../lifecycle/usage-report.ts'
import { inline } from '../../pages/markdown.ts'
import { framed, html, type Markup, table } from '../../pages/markup.ts'
import { dayOf, minuteOf } from '../../times.ts'
import { barPicture } from '../today/trend-picture.ts'

export interface Usage {
  readonly report: UsageReport
  /** The account whose usage this is; null for all. */
  readonly account: string | null
  /** The page of a consumer. */
  url(one: ConsumerUsage): string
  /** Its calls by day. */
  trend(one: ConsumerUsage, version: string): Markup
}

export const usageSection = (usage: Usage, showsAccounts: boolean): Markup => {
  const { report, account } = usage
  return html`<h2 id="usage">Usage</h2>
<p>${showsAccounts ? callsOf(account) : 'Calls'} from ${report.days[0]} to ${report.days.at(-1)}.</p>
${report.versions.map((version) => versionSection(version, usage, showsAccounts))}
${
  report.gaps.length > 0 &&
  html`<h3>Gaps</h3><p>A process ended before it had written what it had counted:</p><ul>${report.gaps.map(({ from, until }) => html`<li>${minuteOf(from)} to ${minuteOf(until)}</li>`)}</ul>`
}`
}

const callsOf = (account: string | null): Markup | string =>
  account === null ? 'Calls of all accounts' : html`Calls of the account <b>${account}</b>`

const versionSection = (usage: VersionUsage, of: Usage, showsAccounts: boolean): Markup => {
  const total = usage.calls.reduce((sum, one) => sum + one, 0)
  return html`<h3>${usage.version}</h3>
<p>${total === 0 ? 'No calls.' : html`${counted(total, 'call')}, at most ${number(Math.max(...usage.calls))} on a day.`}${usage.anonymous && html` ${number(usage.anonymous.calls)} came without credentials.`}${usage.refused && html` ${number(usage.refused.calls)} more ${usage.refused.calls === 1 ? 'was' : 'were'} refused, because credentials were missing or the version is retired.`}</p>
${total > 0 && callsPicture(usage.version, usage.calls, of.report.days)}
${usage.consumers.length > 0 && consumerTable(usage, of, showsAccounts)}`
}

/** A bar for each day. */
export const callsPicture = (version: string, calls: readonly number[], days: readonly string[]): Markup => {
  const title = `Calls of ${version} by day`
  const ends = [days[0] ?? '', days.at(-1) ?? ''] as const
  return framed(title, barPicture({ id: `calls-${version}`, title, shown: number, ends }, calls))
}

/** Deprecated versions also have columns for what consumers still use, and whether they were contacted. */
const consumerTable = (
  { version, deprecated, consumers }: VersionUsage,
  of: Usage,
  showsAccounts: boolean,
): Markup => {
  const isDeprecated = deprecated !== null
  const moving = isDeprecated ? ['Still uses', 'Contacted'] : []
  return table(
    `Consumers of ${version}`,
    [
      'Consumer',
      ...(showsAccounts ? ['Account'] : []),
      'Kind',
      { figure: 'Calls' },
      'By day',
      'Last seen',
      ...moving,
    ],
    consumers.map(
      (one) =>
        html`<tr>${consumerCells(one, version, of, showsAccounts)}${isDeprecated && movingCells(one)}</tr>`,
    ),
  )
}

const consumerCells = (
  one: ConsumerUsage,
  version: string,
  { url, trend }: Usage,
  showsAccounts: boolean,
): Markup =>
  html`<td><a href="${url(one)}">${one.name}</a>${one.contact && html`<br><small>${one.contact}</small>`}</td>${showsAccounts && html`<td>${one.account}</td>`}<td>${one.kind}</td><td class="figure">${number(one.calls)}</td><td>${trend(one, version)}</td><td>${minuteOf(one.lastSeen)}</td>`

const movingCells = (one: ConsumerUsage): Markup =>
  html`<td>${stillUses(one)}</td><td>${one.contacted ? dayOf(one.contacted.at) : html`<span class="none">no</span>`}</td>`

const stillUses = ({ stillUses: all }: ConsumerUsage): Markup =>
  all.length === 0
    ? html`<span class="none">nothing that changed</span>`
    : html`<ul class="tight">${all.map(({ change, uses }) => html`<li>${inline(change)}: ${inline(uses.join(', '))}</li>`)}</ul>`

const number = (value: number): string => value.toLocaleString('en')
