import { kindOf } from '../../compile/change-kinds/change-kinds.ts'
import type { Version } from '../../compile/model.ts'
import { decideRetirement, type RetirementBlocker, type RetirementFacts } from '../../lifecycle/decide.ts'
import { collectFacts } from '../../lifecycle/facts.ts'
import { type Decision, decisionInForce, readDecisions } from '../../lifecycle/retirement-decisions.ts'
import { affectedIn, type UsageReport, usageReport } from '../../lifecycle/usage-report.ts'
import { inline } from '../../pages/markdown.ts'
import { html, type Markup, table, tableOr } from '../../pages/markup.ts'
import { dayMs } from '../../times.ts'
import type { ConsolePage, PageEntry, ShownPage, Visit } from '../console-page.ts'
import { noSuchPage } from '../console-refusal.ts'
import { timeShown } from '../time-shown.ts'
import { versionsPath, versionUrl } from './version-list-page.ts'

/** How far back calls and gaps count, as for `nounkit retire`. */
export const windowMs = 30 * dayMs

export const versionOf = ({ parts, params }: PageEntry): Version => {
  const found = parts.model.versions.find(({ name }) => name === params.version)
  if (!found) throw noSuchPage()
  return found
}

/** `/console/versions/{version}`: what differs, who still uses it, and what stands in the way of its end. */
export const versionPage: ConsolePage = {
  kind: 'page',
  path: `${versionsPath}/{version}`,
  get: (visit) => shownVersion(visit, null),
}

const doneWords: { readonly [done: string]: string } = {
  told: 'It was noted that the consumer was told.',
  retired: 'The version is retired. Running processes answer 410 within a few seconds.',
  withdrawn: 'The version is served again within a few seconds. The decision stays on record, withdrawn.',
}

/** `refusal` is why it was not retired just now. */
export const shownVersion = async (visit: Visit, refusal: string | null): Promise<ShownPage> => {
  const { parts, query, link } = visit
  const { store, model, clock } = parts
  const version = versionOf(visit)
  const now = clock.now()
  const report = await usageReport(store, model, now)
  const decisions = (await readDecisions(store)).filter((one) => one.version === version.name)
  const inForce = decisionInForce(decisions, version.name)
  const facts = await collectFacts(store, version, { now, windowMs })
  const done = query.get('done') ?? ''
  return {
    title: version.name,
    status: refusal === null ? 200 : 409,
    body: html`<p class="crumbs"><a href="${link(versionsPath)}">Versions</a></p>
<h1>${version.name}</h1>
${refusal !== null && html`<p class="notice" role="alert">${refusal}</p>`}
${refusal === null && Object.hasOwn(doneWords, done) && html`<p class="said" role="status">${doneWords[done]}</p>`}
${facts.guide !== null && html`<p><a href="${facts.guide}">The guide to ${facts.successor?.name}</a></p>`}
${changesOf(version, report)}
${inForce ? withdrawal(visit, inForce) : retirementOf(visit, facts)}
${decisions.length > 0 && html`<h2>Decisions</h2>${table('Decisions', ['Retired', 'By', 'Withdrawn', 'By', 'Why', 'Evidence'], decisions.map(decisionRow))}`}`,
  }
}

/** What the next newer version takes away, and the consumers whose calls show that they use it. */
const changesOf = (version: Version, report: UsageReport): Markup | false => {
  const { successor: newer } = version
  if (!newer) return false
  const affected = affectedIn(report)
  const step = { older: version, newer }
  return html`<h2>What differs from ${newer.name}</h2>
${tableOr(
  'Nothing that a caller must do something about.',
  `Changes from ${version.name} to ${newer.name}`,
  ['Change', 'Who still uses it'],
  version.changes.map((change) => {
    const kind = kindOf(change)
    const using = affected(change, version)
    const nobody = kind.usage(change, step).isUnknown ? 'calls do not show it' : 'no call shows anybody'
    return html`<tr><td>${inline(kind.guideEntry(change, step).title)}</td><td>${using.length === 0 ? html`<span class="none">${nobody}</span>` : using.join(', ')}</td></tr>`
  }),
)}
<p class="legend">Who only reads a field is not recorded, because rows are read whole.</p>`
}

const retirementOf = (visit: Visit, facts: RetirementFacts): Markup => {
  const { blockers } = decideRetirement(facts)
  const { version } = facts
  return html`<h2>Retirement</h2>
${
  blockers.length === 0
    ? html`<p>Nothing stands in the way. Calls of all processes up to now are counted before it is decided.</p>`
    : html`<p>What stands in the way:</p><ul>${blockers.map((blocker) => html`<li>${blocker.what} ${blocker.lift}${told(visit, version, blocker)}</li>`)}</ul>`
}
${evidence('The facts that decide', facts)}
${visit.form(visit.link(`${versionUrl(version)}/retire`), html`<p><button class="grave">Retire ${version}</button></p>`)}`
}

/** Notes that a consumer which stands in the way was told. */
const told = (visit: Visit, version: string, { consumer }: RetirementBlocker): Markup | false =>
  consumer !== undefined &&
  visit.form(
    visit.link(`${versionUrl(version)}/told`),
    html`<input type="hidden" name="of" value="${consumer.account}"><input type="hidden" name="consumer" value="${consumer.name}"><input name="note" required maxlength="1000" aria-label="How ${consumer.name} was told, and what it answered" placeholder="How, and its answer"> <button class="plain">It was told</button>`,
  )

const withdrawal = (
  visit: Visit,
  { version, decidedAt, decidedBy }: Decision,
): Markup => html`<h2>Retirement</h2>
<p>Retired at ${timeShown(decidedAt)}${decidedBy !== null && html` by <b>${decidedBy}</b>`}: it answers 410.</p>
${visit.form(
  visit.link(`${versionUrl(version)}/withdraw`),
  html`<label for="why">Why it is served again</label> <input id="why" name="why" required maxlength="1000"> <button class="plain">Take the retirement back</button>`,
)}`

const decisionRow = (one: Decision): Markup =>
  html`<tr><td>${timeShown(one.decidedAt)}</td><td>${one.decidedBy}</td><td>${one.withdrawnAt === null ? html`<span class="none">no</span>` : timeShown(one.withdrawnAt)}</td><td>${one.withdrawnBy}</td><td>${one.withdrawnWhy}</td><td>${evidence('Facts', one.evidence)}</td></tr>`

const evidence = (label: string, facts: unknown): Markup =>
  html`<details><summary>${label}</summary><pre tabindex="0"><code>${JSON.stringify(facts, null, 2)}</code></pre></details>`
