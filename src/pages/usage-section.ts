import { counted } from '../compile/names/plural.ts'
import type { RetirementBlocker } from '../lifecycle/decide.ts'
import type { ConsumerUsage, UsageReport, VersionUsage } from '../lifecycle/usage-report.ts'
import { dayOf, minuteOf } from '../times.ts'
import { inline } from './markdown.ts'
import { framed, html, type Markup, table } from './markup.ts'
import { usagePlot } from './usage-plot.ts'

export interface Usage {
  readonly report: UsageReport
  /** The account whose usage this is; null for all. */
  readonly account: string | null
  /** What blocks the retirement of each version, by the version's name. */
  readonly blockers: ReadonlyMap<string, readonly RetirementBlocker[]>
  /** More about each consumer, where there is more to show. */
  readonly more?: MoreOfConsumers
}

export interface MoreOfConsumers {
  /** The page of a consumer. */
  url(one: ConsumerUsage): string
  /** Its calls by day. */
  trend(one: ConsumerUsage, version: string): Markup
}

/** A form for an API key that works without scripts. The key is neither stored nor put in a URL. */
export const usageForm = (refusal: string | null): Markup => html`<h2 id="usage">Usage</h2>
<p>With an operator’s key (scope <code>operations:read</code>) you see who calls which version; with a key of all scopes, the calls of your own account.</p>
${refusal && html`<p class="notice" role="alert">${refusal}</p>`}
<form method="post" action="/docs/versions#usage">
<label for="key">API key</label>
<input id="key" name="key" type="password" autocomplete="off" required maxlength="4096">
<button>Show usage</button>
</form>`

export const usageSection = (
  { report, account, blockers, more }: Usage,
  showsAccounts: boolean,
): Markup => html`<h2 id="usage">Usage</h2>
<p>${showsAccounts ? callsOf(account) : 'Calls'} from ${report.days[0]} to ${report.days.at(-1)}.</p>
${report.versions.map((version) => versionSection(version, report, { blockers: blockers.get(version.version) ?? null, showsAccounts, more }))}
${
  report.gaps.length > 0 &&
  html`<h3>Gaps</h3><p>A process ended before it had written what it had counted:</p><ul>${report.gaps.map(({ from, until }) => html`<li>${minuteOf(from)} to ${minuteOf(until)}</li>`)}</ul>`
}`

const callsOf = (account: string | null): Markup | string =>
  account === null ? 'Calls of all accounts' : html`Calls of the account <b>${account}</b>`

const versionSection = (
  usage: VersionUsage,
  { days, gaps }: UsageReport,
  { blockers, ...shown }: { readonly blockers: readonly RetirementBlocker[] | null } & ShownOfConsumers,
): Markup => {
  const total = usage.calls.reduce((sum, one) => sum + one, 0)
  return html`<h3>${usage.version}</h3>
<p>${total === 0 ? 'No calls.' : html`${counted(total, 'call')}, at most ${number(Math.max(...usage.calls))} on a day.`}${usage.anonymous && html` ${number(usage.anonymous.calls)} came without credentials.`}${usage.refused && html` ${number(usage.refused.calls)} more ${usage.refused.calls === 1 ? 'was' : 'were'} refused, because credentials were missing or the version is retired.`}</p>
${total > 0 && framed(`Calls of ${usage.version} by day`, usagePlot(usage, days, gaps))}
${usage.consumers.length > 0 && consumerTable(usage, shown)}
${blockers !== null && blockerList(usage, blockers)}`
}

interface ShownOfConsumers {
  readonly showsAccounts: boolean
  readonly more: MoreOfConsumers | undefined
}

/** Deprecated versions also have columns for what consumers still use, and whether they were contacted. */
const consumerTable = ({ version, deprecated, consumers }: VersionUsage, shown: ShownOfConsumers): Markup => {
  const { showsAccounts, more } = shown
  const isDeprecated = deprecated !== null
  const moving = isDeprecated ? ['Still uses', 'Contacted'] : []
  return table(
    `Consumers of ${version}`,
    [
      'Consumer',
      ...(showsAccounts ? ['Account'] : []),
      'Kind',
      { figure: 'Calls' },
      ...(more ? ['By day'] : []),
      'Last seen',
      ...moving,
    ],
    consumers.map(
      (one) => html`<tr>${consumerCells(one, version, shown)}${isDeprecated && movingCells(one)}</tr>`,
    ),
  )
}

const consumerCells = (
  one: ConsumerUsage,
  version: string,
  { showsAccounts, more }: ShownOfConsumers,
): Markup =>
  html`<td>${more ? html`<a href="${more.url(one)}">${one.name}</a>` : one.name}${one.contact && html`<br><small>${one.contact}</small>`}</td>${showsAccounts && html`<td>${one.account}</td>`}<td>${one.kind}</td><td class="figure">${number(one.calls)}</td>${more && html`<td>${more.trend(one, version)}</td>`}<td>${minuteOf(one.lastSeen)}</td>`

const movingCells = (one: ConsumerUsage): Markup =>
  html`<td>${stillUses(one)}</td><td>${one.contacted ? dayOf(one.contacted.at) : html`<span class="none">no</span>`}</td>`

const stillUses = ({ stillUses: all }: ConsumerUsage): Markup =>
  all.length === 0
    ? html`<span class="none">nothing that changed</span>`
    : html`<ul class="tight">${all.map(({ change, uses }) => html`<li>${inline(change)}: ${inline(uses.join(', '))}</li>`)}</ul>`

const blockerList = ({ version }: VersionUsage, blockers: readonly RetirementBlocker[]): Markup =>
  blockers.length === 0
    ? html`<p>Nothing blocks the retirement of ${version}: <code>nounkit retire</code> would pass.</p>`
    : html`<p>What blocks the retirement of ${version}:</p><ul>${blockers.map(({ what, lift }) => html`<li>${what} ${lift}</li>`)}</ul>`

const number = (value: number): string => value.toLocaleString('en')
