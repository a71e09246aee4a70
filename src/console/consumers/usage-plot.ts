import type { UsageReport, VersionUsage } from '../../lifecycle/usage-report.ts'
import { html, type Markup } from '../../pages/markup.ts'
import { round } from '../../pages/timeline.ts'
import { dayMs } from '../../times.ts'

const width = 720
const height = 150
const box = { left: 56, right: 712, top: 12, bottom: 122 }

/** A bar chart of calls by day. Days with gaps in the recording are marked, because an unknown number is not zero. */
export const usagePlot = (
  { version, calls }: VersionUsage,
  days: readonly string[],
  gaps: UsageReport['gaps'],
): Markup => {
  const most = niceCeiling(Math.max(1, ...calls))
  const step = (box.right - box.left) / days.length
  const y = (value: number): number => box.bottom - (value / most) * (box.bottom - box.top)
  const bars = calls.map((value, index) => {
    const tall = Math.max(value > 0 ? 1.5 : 0, box.bottom - y(value))
    return html`<rect x="${round(box.left + index * step)}" y="${round(box.bottom - tall)}" width="${round(Math.max(1, step - 1))}" height="${round(tall)}"><title>${days[index]}: ${value}</title></rect>`
  })
  const gapDays = days.flatMap((day, index) => (overlaps(day, gaps) ? [index] : []))
  return html`<svg class="picture chart" role="img" aria-labelledby="plot-${version}-title" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title id="plot-${version}-title">Calls of ${version} by day, from ${days[0]} to ${days.at(-1)}; at most ${Math.max(...calls)} on a day</title>
${[0, most / 2, most].map((value) => html`<g class="quiet"><line class="grid" x1="${box.left}" y1="${round(y(value))}" x2="${box.right}" y2="${round(y(value))}"/><text x="${box.left - 6}" y="${round(y(value) + 4)}" text-anchor="end">${value.toLocaleString('en')}</text></g>`)}
<g>${gapDays.map((index) => html`<rect class="unknown" x="${round(box.left + index * step)}" y="${box.top}" width="${round(step)}" height="${box.bottom - box.top}"><title>${days[index]}: recording was interrupted</title></rect>`)}</g>
<g class="full">${bars}</g>
<text x="${box.left}" y="${height - 10}">${days[0]}</text><text x="${box.right}" y="${height - 10}" text-anchor="end">${days.at(-1)}</text>
</svg>`
}

const overlaps = (day: string, gaps: UsageReport['gaps']): boolean => {
  const start = Date.parse(`${day}T00:00:00Z`)
  return gaps.some(({ from, until }) => from < start + dayMs && until >= start)
}

/** The next number that is 1, 2 or 5 times a power of ten and even, so that its half is a whole number. */
const niceCeiling = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  const nice = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= value) ?? value
  return nice % 2 === 0 ? nice : nice * 2
}
