/** HTML that is already escaped. */
export interface Markup {
  readonly kind: 'markup'
  readonly text: string
}

type Piece = Markup | string | number | null | undefined | false | readonly Piece[]

/** A template tag that escapes its values, except for markup. */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup =>
  trusted(strings.map((text, index) => text + (index < pieces.length ? textOf(pieces[index]) : '')).join(''))

export const trusted = (text: string): Markup => ({ kind: 'markup', text })

const textOf = (piece: Piece): string => {
  if (piece === null || piece === undefined || piece === false) return ''
  if (typeof piece === 'string' || typeof piece === 'number') return escaped(String(piece))
  return 'kind' in piece ? piece.text : piece.map(textOf).join('')
}

/** Wide content that is scrolled within the page, also with the keyboard. */
export const scrolled = (label: string, content: Markup, classes = 'scroll'): Markup =>
  html`<div class="${classes}" tabindex="0" role="region" aria-label="${label}">${content}</div>`

export const framed = (label: string, content: Markup): Markup => scrolled(label, content, 'scroll frame')

/** The head of a column of numbers, which stand at its right. */
interface FigureHead {
  readonly figure: string
}

type Head = string | Markup | FigureHead

export const table = (label: string, heads: readonly Head[], rows: readonly Markup[]): Markup =>
  scrolled(
    label,
    html`<table>
<thead><tr>${heads.map(headCell)}</tr></thead>
<tbody>${rows}</tbody>
</table>`,
  )

/** A table, or a sentence in place of one without rows. */
export const tableOr = (
  none: string,
  label: string,
  heads: readonly Head[],
  rows: readonly Markup[],
): Markup => (rows.length === 0 ? html`<p class="none">${none}</p>` : table(label, heads, rows))

const headCell = (head: Head): Markup =>
  typeof head === 'object' && 'figure' in head
    ? html`<th scope="col" class="figure">${head.figure}</th>`
    : html`<th scope="col">${head}</th>`

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => entities[one] ?? one)
