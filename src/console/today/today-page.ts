import { counted } from '../../compile/names/plural.ts'
import { html, type Markup, table, tableOr } from '../../pages/markup.ts'
import { processText } from '../../store/process-id.ts'
import type { ConsolePage, ShownPage, Visit } from '../console-page.ts'
import { timeShown } from '../time-shown.ts'
import { type Figures, mostPoints, pointMs } from './figures.ts'
import { short, wholeNumber } from './figures-shown.ts'
import { storeHealth } from './health.ts'
import { type MergedFigures, mergedFigures } from './merged-figures.ts'
import { pictures } from './pictures.ts'
import { callsOf } from './points.ts'
import { routeTable } from './route-table.ts'
import { statementTable, todayPath } from './statement-table.ts'

/** `/console/today`: what is going on, in this process or in all. */
export const todayPage: ConsolePage = {
  kind: 'page',
  path: todayPath,
  inNavigation: 'Today',
  get: shownToday,
}

async function shownToday(visit: Visit): Promise<ShownPage> {
  const { parts, query } = visit
  const now = parts.clock.now()
  const own = parts.figures.own()
  // The page is also for the time in which the store is away.
  const others = await parts.figures.others().catch(() => null)
  const isAlone = query.get('of') === 'this' || !others?.length
  const shown = isAlone ? [own] : [own, ...others]
  const merged = mergedFigures(shown, now)
  const { limited } = merged
  return {
    title: 'Today',
    isWide: true,
    body: html`<div class="headed"><h1>Today</h1><p class="live"><button type="button" class="plain" data-live-switch hidden>Pause</button> <span data-live-note role="status"></span></p></div>
${scopes(visit, isAlone, others)}
<section id="health" data-live aria-labelledby="health-head"><h2 id="health-head">Health</h2>
${await storeHealth(parts)}
${inHand(merged)}</section>
<section id="ten-minutes" data-live aria-labelledby="ten-minutes-head"><h2 id="ten-minutes-head">The last ten minutes</h2>
<p class="legend">A point is ten seconds, a large figure the last of them. Times are UTC.</p>
${pictures(merged, parts.model)}</section>
<section id="routes" data-live aria-labelledby="routes-head"><h2 id="routes-head">Routes</h2>
<p>Since ${timeShown(merged.since)} UTC, those that took most time first. Half of the requests took at most the time below p50, 95 of 100 that below p95, 99 of 100 that below p99. The times are estimated from the same counts as <code>/metrics</code> has.</p>
${routeTable(merged.routes)}</section>
<section id="statements" data-live aria-labelledby="statements-head"><h2 id="statements-head">Statements</h2>
<p>Those that took most time together since ${timeShown(merged.since)} UTC, of requests and of what the engine does beside them. Values are not kept.</p>
${statementTable(visit, merged.statements)}</section>
<section id="limited" data-live aria-labelledby="limited-head"><h2 id="limited-head">Consumers that were told to slow down</h2>
${tableOr(
  'None since midnight in UTC, or since the processes started.',
  'Rate limited consumers',
  ['Account', 'Consumer', { figure: 'Refused with 429' }, 'Last'],
  limited.map(
    (one) =>
      html`<tr><td>${one.account ?? html`<span class="none">none</span>`}</td><td>${one.consumer === null ? html`<span class="none">without credentials</span>` : html`<code>${one.consumer}</code>`}</td><td class="figure">${wholeNumber(one.calls)}</td><td>${timeShown(one.lastAt)}</td></tr>`,
  ),
)}</section>
<section id="processes" data-live aria-labelledby="processes-head"><h2 id="processes-head">Processes</h2>
${processTable(own, others ?? [], now)}</section>`,
  }
}

const scopes = ({ link }: Visit, isAlone: boolean, others: readonly Figures[] | null): Markup => {
  if (others === null)
    return html`<p class="notice">The store does not answer, so that these are the figures of this process alone.</p>`
  if (others.length === 0) return html`<p>Of this process: nothing was heard of another one.</p>`
  const choice = (label: string, of: string | null, isCurrent: boolean): Markup =>
    html`<a href="${link(todayPath, { of })}"${isCurrent && html` aria-current="page"`}>${label}</a>`
  return html`<p class="paging">${choice('All processes', null, !isAlone)}${choice('This process', 'this', isAlone)}</p>`
}

const inHand = ({ now }: MergedFigures): Markup => {
  const { inFlight, streams, lagMs, connections, busyConnections, waiting } = now
  return html`<p>${counted(inFlight, 'request')} in flight, ${counted(streams, 'stream')} open. ${counted(connections, 'connection')} to the store, ${busyConnections} at work, ${waiting === 0 ? 'nothing waits for one' : html`<b>${wholeNumber(waiting)} wait for one</b>`}. The event loop is ${lagMs < 1 ? 'in time' : html`${short(lagMs)} ms late`}.</p>`
}

const processTable = (own: Figures, others: readonly Figures[], now: number): Markup =>
  html`${table(
    'Each process',
    [
      'Process',
      'Since',
      'Last heard',
      { figure: 'In flight' },
      { figure: 'Streams' },
      { figure: 'Requests' },
    ],
    [own, ...others].map(
      (one) =>
        html`<tr><td>${processText(one.process)}${one === own && ' (this one)'}</td><td>${timeShown(one.startedAt)}</td><td>${timeShown(one.at)}</td><td class="figure">${one.now.inFlight}</td><td class="figure">${one.now.streams}</td><td class="figure">${wholeNumber(requestsOf(one, now))}</td></tr>`,
    ),
  )}
<p class="legend">Requests are those of ten minutes. A process that has answered nothing in the last hour is not here, although it may run.</p>`

const requestsOf = ({ points }: Figures, now: number): number =>
  points
    .filter(({ at }) => at > now - mostPoints * pointMs)
    .reduce((sum, { requests }) => sum + callsOf(requests), 0)
