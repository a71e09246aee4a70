import type { Version } from '../../compile/model.ts'
import { counted } from '../../compile/names/plural.ts'
import { servedSuccessor } from '../../lifecycle/retirement.ts'
import { readDecisions } from '../../lifecycle/retirement-decisions.ts'
import { usageReport, type VersionUsage } from '../../lifecycle/usage-report.ts'
import { framed, html, type Markup, table } from '../../pages/markup.ts'
import { timeline } from '../../pages/timeline.ts'
import { versionLives } from '../../pages/version-lives.ts'
import type { ConsolePage, ShownPage, Visit } from '../console-page.ts'

export const versionsPath = '/console/versions'

export const versionUrl = (name: string): string => `${versionsPath}/${encodeURIComponent(name)}`

/** `/console/versions`: the timeline, and who calls which version. */
export const versionListPage: ConsolePage = {
  kind: 'page',
  path: versionsPath,
  inNavigation: 'Versions',
  get: shownVersions,
}

async function shownVersions(visit: Visit): Promise<ShownPage> {
  const { store, model, clock } = visit.parts
  const now = clock.now()
  const report = await usageReport(store, model, now)
  const inForce = (await readDecisions(store)).filter(({ withdrawnAt }) => withdrawnAt === null)
  const retiredAt = new Map(inForce.map(({ version, decidedAt }) => [version, decidedAt]))
  const isRetired = ({ name }: Version): boolean => retiredAt.has(name)
  const successorOf = (version: Version): Version | null => servedSuccessor(version, isRetired)
  const lives = versionLives(model, now, { isRetired, successorOf })
  const onLine = model.versions.map((version) => ({
    version,
    retiredAt: retiredAt.get(version.name) ?? null,
  }))
  return {
    title: 'Versions',
    isWide: true,
    body: html`<h1>Versions</h1>
${framed('Time line of the versions', timeline(onLine, now))}
${table(
  'Versions',
  ['Version', 'Status', 'Published', 'Deprecated', 'Sunset', { figure: 'Calls in 90 days' }, 'Consumers'],
  lives.map(({ version, status }) =>
    versionRow(
      visit,
      version,
      status,
      report.versions.find((one) => one.version === version.name),
    ),
  ),
)}`,
  }
}

const versionRow = (
  { link }: Visit,
  version: Version,
  status: string,
  usage: VersionUsage | undefined,
): Markup => {
  const calls = (usage?.calls ?? []).reduce((sum, one) => sum + one, 0)
  const day = (value: { readonly date: string } | null): Markup =>
    value ? html`<time datetime="${value.date}">${value.date}</time>` : html`<span class="none">none</span>`
  return html`<tr><td><a href="${link(versionUrl(version.name))}">${version.name}</a></td><td>${status}</td><td>${day(version.published)}</td><td>${day(version.deprecated)}</td><td>${day(version.sunset)}</td><td class="figure">${calls.toLocaleString('en')}</td><td>${counted(usage?.consumers.length ?? 0, 'consumer')}</td></tr>`
}
