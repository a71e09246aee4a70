import type { Model } from '../../compile/model.ts'
import { html, type Markup } from '../../pages/markup.ts'
import { type Point, pointMs } from './figures.ts'
import { milliseconds, secondsShown, short, wholeNumber } from './figures-shown.ts'
import type { MergedFigures } from './merged-figures.ts'
import { callsOf } from './points.ts'
import { quantile } from './quantiles.ts'
import { barPicture, lineKey, linePicture } from './trend-picture.ts'

/** A picture for each figure, of ten seconds a point. */
export const pictures = ({ points }: MergedFigures, model: Model): Markup => {
  const ends = [timeOf(points[0]), timeOf(points.at(-1))] as const
  const bars = (id: string, title: string, of: (point: Point) => number, shown = short): Markup => {
    const values = points.map(of)
    return card(
      title,
      shown(values.at(-1) ?? 0),
      barPicture({ id, title: `${title}, in the last ten minutes`, shown, ends }, values),
      values.every((value) => value === 0),
    )
  }
  const rate = (id: string, title: string, of: (point: Point) => number): Markup =>
    bars(id, title, (point) => of(point) / (pointMs / 1_000))
  return html`<div class="tiles trends">
${rate('requests', 'Requests a second', ({ requests }) => callsOf(requests))}
${times(points, ends)}
${rate('failed', 'Failed a second (5xx)', ({ requests }) => requests.failed)}
${rate('refused', 'Refused a second (4xx)', ({ requests }) => requests.refused)}
${rate('limited', 'Rate limited a second (429)', ({ requests }) => requests.limited)}
${rate('sent', 'Statements a second', ({ statements }) => statements)}
${bars('batch', 'Transactions in a commit', ({ commits, committed }) => (commits === 0 ? 0 : committed / commits))}
${rate('replays', 'Replays a second', ({ replays }) => replays)}
${model.events && bars('streams', 'Open streams of events', ({ streams }) => streams, wholeNumber)}
${model.events && bars('webhooks', 'Oldest delivery waiting', (point) => point.webhookSeconds, secondsShown)}
${model.jobs.size > 0 && bars('jobs', 'Jobs that wait or run', ({ jobs }) => jobs, wholeNumber)}
</div>`
}

const shares = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
] as const

const times = (points: readonly Point[], ends: readonly [string, string]): Markup => {
  const lines = shares.map(([name, share]) => {
    const values = points.map(({ requests }) => quantile(requests.buckets, share))
    const last = values.findLast((value) => value !== null) ?? null
    return { name, values, now: last === null ? 'none' : milliseconds(last) }
  })
  const title = 'Time of a request'
  return card(
    title,
    null,
    html`${lineKey(lines)}${linePicture({ id: 'times', title: `${title}, in the last ten minutes`, shown: milliseconds, ends }, lines)}`,
  )
}

const card = (title: string, now: string | null, picture: Markup, isQuiet = false): Markup =>
  html`<article class="tile"><h3>${title}</h3>${now !== null && html`<p class="now-figure${isQuiet && ' none'}">${now}</p>`}${picture}</article>`

const timeOf = (point: Point | undefined): string => new Date(point?.at ?? 0).toISOString().slice(11, 19)
