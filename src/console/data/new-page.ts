import { randomUUID } from 'node:crypto'
import { html, type Markup } from '../../pages/markup.ts'
import type { GoTo, ShownPage, Visit } from '../console-page.ts'
import { fieldFaults, problemNotice, problemOf, type ReceivedProblem, rowOf } from './asked-rows.ts'
import { atPlaces, type DataPlace, dataPlaceOf, dataUrl } from './data-place.ts'
import { differenceTable, hiddenTexts } from './differences.ts'
import { type FoundRows, findReferences, pickedRow } from './find-references.ts'
import { formInputs } from './form-fields.ts'
import { bodyOf, type FormTexts, formFields, typedTexts } from './form-values.ts'

/** Makes a row: a form, what will be written, and the write. */
export const newPages = atPlaces('new', {
  get: (visit) => shownForm(visit, dataPlaceOf(visit), new Map(), {}),
  async post(visit, form) {
    const place = dataPlaceOf(visit)
    const fields = newFields(place)
    const texts = typedTexts(fields, form)
    const found = await findReferences(visit, fields, form)
    if (found) return shownForm(visit, place, texts, { found })
    const picked = pickedRow(form)
    if (picked) return shownForm(visit, place, new Map([...texts, picked]), {})
    if (form.has('back')) return shownForm(visit, place, texts, {})
    // What was left empty is left out, so that it becomes what it is by default.
    const filled = fields.filter(({ name }) => (texts.get(name) ?? '') !== '')
    const { body, faults } = bodyOf(filled, texts)
    if (faults.size > 0) return shownForm(visit, place, texts, { faults })
    if (form.get('confirmed') === 'yes') return make(visit, place, texts, body, form.get('key') ?? '')
    return {
      title: 'Make this row?',
      body: html`<h1>Make this row?</h1>
<p><code>POST ${place.path}</code></p>
${filled.length === 0 ? html`<p class="none">All values are the defaults.</p>` : differenceTable(filled, null, texts)}
${visit.form(
  urlOf(visit, place),
  html`${hiddenTexts(texts, 'to.')}<input type="hidden" name="key" value="${randomUUID()}"><p><button name="confirmed" value="yes">Make the row</button> <button class="plain" name="back" value="yes">Back to the form</button> ${backLink(visit, place)}</p>`,
)}`,
    }
  },
})

/** Below an owner the path says whose the row is. */
const newFields = ({ view, sub }: DataPlace) =>
  formFields(view, true).filter(({ field }) => !sub?.by || field?.relation !== sub.by)

const urlOf = (visit: Visit, place: DataPlace): string => visit.link(dataUrl('new', place))
const backLink = (visit: Visit, place: DataPlace): Markup =>
  html`<a href="${visit.link(dataUrl('list', place))}">Leave it</a>`

const shownForm = (
  visit: Visit,
  place: DataPlace,
  texts: FormTexts,
  {
    found = null,
    faults = new Map(),
    refused,
  }: { found?: FoundRows | null; faults?: ReadonlyMap<string, string>; refused?: ReceivedProblem },
): ShownPage => {
  const fields = newFields(place)
  return {
    title: `New in ${place.view.name}`,
    status: refused?.status ?? (faults.size > 0 ? 422 : 200),
    body: html`<p class="crumbs"><a href="${visit.link(dataUrl('list', place))}">${place.view.name}</a></p>
<h1>New in ${place.view.name}</h1>
${refused && problemNotice(refused, ({ field }) => fields.some(({ name }) => name === field))}
${visit.form(
  urlOf(visit, place),
  html`<button class="first" tabindex="-1" aria-hidden="true">Review</button>
${formInputs({ fields, texts, faults, found, isNew: true })}
<p><button>Review the row</button> ${backLink(visit, place)}</p>`,
)}`,
  }
}

const make = async (
  visit: Visit,
  place: DataPlace,
  texts: FormTexts,
  body: { readonly [field: string]: unknown },
  key: string,
): Promise<ShownPage | GoTo> => {
  // The same form that is sent twice makes one row.
  const headers = { 'idempotency-key': /^[\w-]{10,100}$/.test(key) ? key : randomUUID() }
  const answer = await visit.ask({ method: 'POST', path: place.path, body, headers })
  const refused = problemOf(answer)
  if (!refused)
    return { goTo: visit.link(dataUrl('row', place, String(rowOf(answer).id)), { done: 'created' }) }
  return shownForm(visit, place, texts, { refused, faults: fieldFaults(refused) })
}
