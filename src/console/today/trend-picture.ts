import { html, type Markup } from '../../pages/markup.ts'
import { round } from '../../pages/timeline.ts'

const width = 320
const height = 108
const box = { left: 2, right: 318, top: 20, bottom: 88 }

/** A row of numbers, oldest first; null where there is none. */
export interface TrendLine {
  readonly name: string
  readonly values: readonly (number | null)[]
}

interface TrendPicture {
  /** Unique within the page. */
  readonly id: string
  readonly title: string
  /** As words, for those who do not see the picture, and for the scale. */
  readonly shown: (value: number) => string
  /** What stands below the left and the right end. */
  readonly ends: readonly [string, string]
}

/** A bar for each value. */
export const barPicture = (picture: TrendPicture, values: readonly number[]): Markup => {
  const most = Math.max(0, ...values)
  const step = (box.right - box.left) / values.length
  return frame(
    picture,
    most > 0 ? picture.shown(most) : '',
    spoken(picture, values),
    html`<g class="full">${values.map((value, at) => {
      if (value <= 0) return null
      const tall = Math.max(1.5, (value / most) * (box.bottom - box.top))
      return html`<rect x="${round(box.left + at * step)}" y="${round(box.bottom - tall)}" width="${round(Math.max(1, step - 1))}" height="${round(tall)}"/>`
    })}</g>`,
  )
}

/** A line for each row of numbers, told apart by their dashes. The scale is logarithmic: a tenfold is always as tall. */
export const linePicture = (picture: TrendPicture, lines: readonly TrendLine[]): Markup => {
  const values = lines.flatMap((line) => line.values.filter((value) => value !== null))
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const isEmpty = values.length === 0
  // Values that are all the same lie in the middle.
  const share = (value: number): number =>
    least === most ? 0.5 : Math.log(Math.max(value, least) / least) / Math.log(most / least)
  const summary = lines.map((line) => `${line.name}: ${spoken(picture, line.values)}`).join(' ')
  const scale = isEmpty ? '' : `${picture.shown(least)} to ${picture.shown(most)}, logarithmic`
  return frame(
    picture,
    scale,
    summary,
    html`${lines.map((line, at) => html`<path class="line line-${at + 1}" d="${pathOf(line.values, share)}"/>`)}`,
  )
}

/** The key to the lines of a picture: text beside a piece of each line. */
export const lineKey = (lines: readonly { readonly name: string; readonly now: string }[]): Markup =>
  html`<ul class="line-key">${lines.map(({ name, now }, at) => html`<li><svg class="picture chart" aria-hidden="true" viewBox="0 0 18 8" width="18" height="8"><path class="line line-${at + 1}" d="M0 4H18"/></svg> ${name} <b>${now}</b></li>`)}</ul>`

const frame = (picture: TrendPicture, scale: string, summary: string, content: Markup): Markup => {
  const { id, title, ends } = picture
  return html`<svg class="picture chart trend" role="img" aria-labelledby="${id}-title ${id}-said" viewBox="0 0 ${width} ${height}">
<title id="${id}-title">${title}</title>
<desc id="${id}-said">${summary}</desc>
<g class="quiet"><line class="grid" x1="${box.left}" y1="${box.top}" x2="${box.right}" y2="${box.top}"/><line class="grid" x1="${box.left}" y1="${box.bottom}" x2="${box.right}" y2="${box.bottom}"/><text x="${box.left}" y="${box.top - 6}">${scale}</text><text x="${box.left}" y="${height - 4}">${ends[0]}</text><text x="${box.right}" y="${height - 4}" text-anchor="end">${ends[1]}</text></g>
${content}
</svg>`
}

const spoken = ({ shown }: TrendPicture, values: readonly (number | null)[]): string => {
  const given = values.filter((value) => value !== null)
  const last = given.at(-1)
  if (last === undefined || given.every((value) => value === 0)) return 'None.'
  return `Last ${shown(last)}; least ${shown(Math.min(...given))}, most ${shown(Math.max(...given))}.`
}

/** Each value is level for its ten seconds, so that one without neighbours is seen, too. */
const pathOf = (values: readonly (number | null)[], share: (value: number) => number): string => {
  const step = (box.right - box.left) / values.length
  let path = ''
  for (const [at, value] of values.entries()) {
    if (value === null) continue
    const [x, y] = [box.left + at * step, box.bottom - share(value) * (box.bottom - box.top)]
    const isAlone = (values[at - 1] ?? null) === null
    path += `${isAlone ? 'M' : 'L'}${round(x)} ${round(y)}H${round(x + step)}`
  }
  return path
}
