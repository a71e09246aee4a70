import type { Version } from '../compile/model.ts'
import { dayMs, dayOf } from '../times.ts'
import { html, type Markup } from './markup.ts'

/** A version on the timeline. */
export interface Life {
  readonly version: Version
  /** When it was retired, in milliseconds. */
  readonly retiredAt: number | null
}

const width = 760
const left = 56
const right = 24
const barHeight = 18
const rowHeight = 34
const top = 40

/** A bar for each version: solid until it is deprecated, then hatched until its sunset. The table below it has the dates. */
export const timeline = (lives: readonly Life[], now: number): Markup => {
  const scale = scaleOf(lives, now)
  const height = top + lives.length * rowHeight
  const today = scale.x(now)
  return html`<svg class="picture chart timeline" role="img" aria-labelledby="timeline-title timeline-description" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title id="timeline-title">The versions over time</title>
<desc id="timeline-description">${lives.map(sentence).join(' ')}</desc>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-ground" width="6" height="6"/><line class="hatch-line" x1="0" y1="0" x2="0" y2="6" stroke-width="3"/></pattern></defs>
${scale.years.map(({ x, text }) => html`<g class="quiet"><line class="grid" x1="${round(x)}" y1="22" x2="${round(x)}" y2="${height}"/><text x="${round(x + 4)}" y="14">${text}</text></g>`)}
${lives.map((life, index) => html`<g transform="translate(0 ${top + index * rowHeight})"><title>${sentence(life)}</title>${barsOf(life, now, scale)}</g>`)}
<g class="today"><line x1="${round(today)}" y1="38" x2="${round(today)}" y2="${height}"/><text x="${round(clamp(today, 22))}" y="34" text-anchor="middle">today</text></g>
</svg>`
}

const sentence = ({ version, retiredAt }: Life): string => {
  const parts = [
    version.published && `published ${version.published.date}`,
    version.deprecated && `deprecated ${version.deprecated.date}`,
    version.sunset && `sunset ${version.sunset.date}`,
    retiredAt !== null && `retired ${dayOf(retiredAt)}`,
  ].filter((part) => part)
  return `${version.name}: ${parts.join(', ') || 'no dates yet'}.`
}

interface Scale {
  x(time: number): number
  readonly from: number
  readonly to: number
  readonly years: readonly { readonly x: number; readonly text: string }[]
}

const scaleOf = (lives: readonly Life[], now: number): Scale => {
  const times = lives.flatMap(({ version, retiredAt }) => [
    ...[version.published, version.deprecated, version.sunset].flatMap((day) =>
      day ? [day.seconds * 1000] : [],
    ),
    ...(retiredAt === null ? [] : [retiredAt]),
  ])
  const first = Math.min(now, ...times)
  const last = Math.max(now, ...times)
  const margin = Math.max((last - first) * 0.06, 20 * dayMs)
  const [from, to] = [first - margin / 3, last + margin]
  const x = (time: number): number => left + ((time - from) / (to - from)) * (width - left - right)
  return {
    x,
    from,
    to,
    years: yearsBetween(from, to).map((year) => ({ x: x(Date.UTC(year, 0, 1)), text: String(year) })),
  }
}

const yearsBetween = (from: number, to: number): number[] => {
  const [first, last] = [new Date(from).getUTCFullYear() + 1, new Date(to).getUTCFullYear()]
  const step = Math.max(1, Math.ceil((last - first + 1) / 10))
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index).filter(
    (year) => (year - first) % step === 0,
  )
}

const barsOf = ({ version, retiredAt }: Life, now: number, { x, from, to }: Scale): Markup => {
  const start = version.published ? version.published.seconds * 1000 : from
  const decline = version.deprecated ? version.deprecated.seconds * 1000 : null
  const end = retiredAt ?? (version.sunset ? version.sunset.seconds * 1000 : Math.max(to, now))
  const bar = (name: string, a: number, b: number): Markup =>
    html`<rect class="${name}" x="${round(x(a))}" y="0" width="${round(Math.max(2, x(b) - x(a)))}" height="${barHeight}" rx="3"/>`
  return html`${bar('full', start, decline ?? end)}${decline !== null && bar('waning', decline, end)}<text class="name" x="4" y="14">${version.name}</text>`
}

const clamp = (x: number, margin: number): number => Math.min(Math.max(x, margin), width - margin)
export const round = (value: number): number => Math.round(value * 10) / 10
