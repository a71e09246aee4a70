import type { View, ViewField } from '../../compile/model.ts'
import { html, type Markup } from '../../pages/markup.ts'
import type { Visit } from '../console-page.ts'
import { urlOfRow } from './data-place.ts'
import { kindOnPage } from './kind-on-page.ts'

/** A row as the API shows it. */
export type ConsoleRow = { readonly [field: string]: unknown }

const mostInCell = 80

/** A value of a row, as short as a cell of a table. */
export const cellOf = (visit: Pick<Visit, 'link'>, field: ViewField, value: unknown): Markup => {
  const text = plainText(value)
  return valueAs(visit, field, value, isId(field) ? shortId(text) : cutInCell(text))
}

export const wholeValue = (visit: Pick<Visit, 'link'>, field: ViewField, value: unknown): Markup =>
  kindOnPage[field.kind].shownAs === 'json' && value !== null && value !== undefined
    ? html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`
    : valueAs(visit, field, value, plainText(value))

const valueAs = (
  { link }: Pick<Visit, 'link'>,
  { kind, target }: ViewField,
  value: unknown,
  text: string,
): Markup => {
  if (value === null || value === undefined) return html`<span class="none">none</span>`
  if (text === '') return html`<span class="none">empty</span>`
  const url = target ? urlOfRow(target(), String(value)) : null
  if (url !== null) return html`<a href="${link(url)}"><code>${text}</code></a>`
  const { shownAs } = kindOnPage[kind]
  if (shownAs === 'time')
    return html`<time datetime="${text}">${text
      .replace('T', ' ')
      .replace(/(:\d\d)\.\d+Z$/, '$1')
      .replace(/Z$/, '')}</time>`
  if (shownAs === 'id' || shownAs === 'json') return html`<code>${text}</code>`
  return html`<span class="${shownAs}">${text}</span>`
}

export const isFigure = (kind: ViewField['kind']): boolean => kindOnPage[kind].shownAs === 'figure'

const plainText = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

const telling = ['name', 'title', 'label', 'code', 'sku', 'email', 'subject', 'reference']

/** As much of a text as a cell of a table has room for. */
export const cutInCell = (text: string): string =>
  text.length > mostInCell ? `${text.slice(0, mostInCell)}…` : text

const isId = ({ kind }: ViewField): boolean => kindOnPage[kind].shownAs === 'id'

/** Enough of an id to tell it from others in a table. Ids begin with a time, and end in what is random. */
export const shortId = (id: string): string => (id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id)

/** The name of a row in a table. */
export const shortLabelOf = (view: View, row: ConsoleRow): string => {
  const label = labelOf(view, row)
  return label === row.id ? shortId(label) : label
}

/** The field that names rows: `id` where there is none. */
export const labelField = ({ field }: View): string =>
  telling.find((name) => kindOnPage[field.get(name)?.kind ?? 'id'].namesRows) ?? 'id'

/** What a person calls a row: its name where it has one, else its id. */
export const labelOf = (view: View, row: ConsoleRow): string => {
  const name = row[labelField(view)]
  return typeof name === 'string' && name !== '' ? cutInCell(name) : String(row.id)
}
