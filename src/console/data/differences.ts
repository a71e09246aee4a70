import type { ViewField } from '../../compile/model.ts'
import { html, type Markup, table } from '../../pages/markup.ts'
import type { FormTexts } from './form-values.ts'
import { kindOnPage } from './kind-on-page.ts'

/** What a write will change: the values before and after. */
export const differenceTable = (
  fields: readonly ViewField[],
  was: FormTexts | null,
  now: FormTexts,
): Markup =>
  table(
    'What will be written',
    ['Field', ...(was ? ['Before'] : []), was ? 'After' : 'Value'],
    fields.map(
      (field) =>
        html`<tr><th scope="row">${field.name}</th>${was && html`<td>${textToShow(field, was)}</td>`}<td>${textToShow(field, now)}</td></tr>`,
    ),
  )

export const textToShow = ({ name, kind, writeOnly }: ViewField, texts: FormTexts): Markup => {
  const text = texts.get(name) ?? ''
  if (writeOnly) return html`<span class="none">not shown</span>`
  if (text === '')
    return html`<span class="none">${kindOnPage[kind].mayBeEmpty ? 'empty or none' : 'none'}</span>`
  return kindOnPage[kind].shownAs === 'json' || text.includes('\n')
    ? html`<pre tabindex="0"><code>${text}</code></pre>`
    : html`<span class="text">${text}</span>`
}

/** Carries texts on to the next form. */
export const hiddenTexts = (texts: FormTexts, prefix: string): readonly Markup[] =>
  [...texts].map(([name, text]) => html`<input type="hidden" name="${prefix}${name}" value="${text}">`)
