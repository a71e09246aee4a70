import { framed, html, type Markup } from '../../pages/markup.ts'
import { round } from '../../pages/timeline.ts'
import { barPicture } from '../today/trend-picture.ts'

const width = 184
const height = 28

/** Calls by day, as small as a cell of a table. */
export const dayTrend = (calls: readonly number[], days: readonly string[], what: string): Markup => {
  const most = Math.max(0, ...calls)
  const step = width / Math.max(1, calls.length)
  const first = calls.findIndex((one) => one > 0)
  const last = calls.findLastIndex((one) => one > 0)
  const words =
    most === 0
      ? 'none'
      : `from ${days[first]} to ${days[last]}, at most ${most.toLocaleString('en')} on a day, ${(calls.at(-1) ?? 0).toLocaleString('en')} today`
  return html`<svg class="picture chart day-trend" role="img" aria-label="${what}: ${words}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><g class="quiet"><line class="grid" x1="0" y1="${height - 0.5}" x2="${width}" y2="${height - 0.5}"/></g><g class="full">${calls.map(
    (value, at) => {
      if (value === 0) return null
      const tall = Math.max(1.5, (value / most) * (height - 2))
      return html`<rect x="${round(at * step)}" y="${round(height - 1 - tall)}" width="${round(Math.max(1, step - 0.4))}" height="${round(tall)}"/>`
    },
  )}</g></svg>`
}

/** A bar for each day. */
export const callsPicture = (version: string, calls: readonly number[], days: readonly string[]): Markup => {
  const title = `Calls of ${version} by day`
  const ends = [days[0] ?? '', days.at(-1) ?? ''] as const
  return framed(
    title,
    barPicture(
      { id: `calls-${version}`, title, shown: (value: number) => value.toLocaleString('en'), ends },
      calls,
    ),
  )
}
