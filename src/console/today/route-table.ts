import { html, type Markup, tableOr } from '../../pages/markup.ts'
import { round } from '../../pages/timeline.ts'
import type { CountedRoute } from './figures.ts'
import { milliseconds, wholeNumber } from './figures-shown.ts'
import { callsOf } from './points.ts'
import { quantile } from './quantiles.ts'

const mostShown = 50
const figureHeads = ['Requests', 'Refused', 'Failed', 'p50', 'p95', 'p99'].map((figure) => ({ figure }))

/** Requests, errors and times, by route and version. */
export const routeTable = (routes: readonly CountedRoute[]): Markup => {
  const shown = routes.slice(0, mostShown).map(timedRoute)
  const longest = Math.max(...shown.map(({ p99 }) => p99))
  return tableOr(
    'No requests yet.',
    'Requests and times by route',
    ['Route', ...figureHeads, 'Times'],
    shown.map((one) => routeRow(one, longest)),
  )
}

interface TimedRoute extends CountedRoute {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

const timedRoute = (route: CountedRoute): TimedRoute => {
  const share = (part: number): number => quantile(route.buckets, part) ?? 0
  return { ...route, p50: share(0.5), p95: share(0.95), p99: share(0.99) }
}

const routeRow = (one: TimedRoute, longest: number): Markup => {
  const { method, version, route, failed, p50, p95, p99 } = one
  // The pictures show what was rate limited apart.
  const refused = one.refused + one.limited
  const path =
    version === 'none' ? (route === 'none' ? 'pages and unknown paths' : route) : `/${version}${route}`
  return html`<tr><td><code>${method.slice(0, 20)} ${path}</code></td><td class="figure">${wholeNumber(callsOf(one))}</td><td class="figure">${refused === 0 ? html`<span class="none">0</span>` : wholeNumber(refused)}</td><td class="figure">${failed === 0 ? html`<span class="none">0</span>` : html`<b class="grave-text">${wholeNumber(failed)}</b>`}</td><td class="figure">${milliseconds(p50)}</td><td class="figure">${milliseconds(p95)}</td><td class="figure">${milliseconds(p99)}</td><td>${spread(one, longest)}</td></tr>`
}

const width = 160

/** A bar up to p50, and thinner ones up to p95 and p99, of the longest of all routes. The figures beside it say the same. */
const spread = ({ p50, p95, p99 }: TimedRoute, longest: number): Markup => {
  const x = (value: number): number => round(longest === 0 ? 0 : (value / longest) * width)
  return html`<svg class="picture chart spread" aria-hidden="true" viewBox="0 0 ${width} 14" width="${width}" height="14"><rect class="full" x="0" y="1" width="${x(p50)}" height="12"/><rect class="full half" x="${x(p50)}" y="4" width="${round(x(p95) - x(p50))}" height="6"/><line class="thin" x1="${x(p95)}" y1="7" x2="${x(p99)}" y2="7"/></svg>`
}
