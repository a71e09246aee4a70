import { html, type Markup } from '../pages/markup.ts'

/** A time to the second, in UTC. A time beyond JavaScript's last date must not make a whole page fail. */
export const timeShown = (time: number | null): Markup => {
  const date = new Date(time ?? Number.NaN)
  if (Number.isNaN(date.getTime()))
    return html`<span class="none">${time === null ? 'none' : 'for ever'}</span>`
  const text = date.toISOString()
  return html`<time datetime="${text}">${text.slice(0, 19).replace('T', ' ')}</time>`
}
