import type { ViewField } from '../../compile/model.ts'
import { html, type Markup, table } from '../../pages/markup.ts'
import type { GoTo, PostedForm, ShownPage, Visit } from '../console-page.ts'
import { fieldFaults, problemNotice, problemOf, type ReceivedProblem, rowOf } from './asked-rows.ts'
import { atPlaces, type DataPlace, dataPlaceOf, dataUrl, rowPathOf } from './data-place.ts'
import { differenceTable, hiddenTexts, textToShow } from './differences.ts'
import { type FoundRows, findReferences, pickedRow } from './find-references.ts'
import { formInputs } from './form-fields.ts'
import { bodyOf, changedFields, type FormTexts, formFields, textsOf, typedTexts } from './form-values.ts'
import { shortId, shortLabelOf } from './shown-value.ts'

/** What somebody is about to write: from which values to which, of which version of the row. */
interface Edit {
  readonly place: DataPlace
  readonly fields: readonly ViewField[]
  readonly was: FormTexts
  readonly to: FormTexts
  readonly etag: string
}

/** Changes a row: a form, what will change, and the write, for which the row must be as the form was made from. */
export const editPages = atPlaces('edit', {
  async get(visit) {
    const place = dataPlaceOf(visit)
    const answer = await visit.ask({ method: 'GET', path: rowPathOf(place) })
    const row = rowOf(answer)
    const fields = formFields(place.view, false)
    const was = textsOf(fields, row)
    const edit = { place, fields, was, to: was, etag: answer.headers.ETag ?? '' }
    return shownForm(visit, edit, {}, shortLabelOf(place.view, row))
  },
  async post(visit, form) {
    const place = dataPlaceOf(visit)
    const edit = editIn(place, form)
    const found = await findReferences(visit, edit.fields, form)
    if (found) return shownForm(visit, edit, { found })
    const picked = pickedRow(form)
    if (picked) return shownForm(visit, { ...edit, to: new Map([...edit.to, picked]) }, {})
    if (form.has('back')) return shownForm(visit, edit, {})
    const changed = changedFields(edit.fields, edit.was, edit.to)
    const { body, faults } = bodyOf(changed, edit.to)
    if (faults.size > 0) return shownForm(visit, edit, { faults })
    if (changed.length === 0) return { goTo: visit.link(dataUrl('row', place, place.id ?? '')) }
    return form.get('confirmed') === 'yes' ? save(visit, edit, body) : review(visit, edit, changed)
  },
})

/** A move of a state comes as a button of its own; all other values as inputs. */
const editIn = (place: DataPlace, form: PostedForm): Edit => {
  const moved = place.view.fields.filter(({ states, name }) => states && form.has(`was.${name}`))
  const fields = moved.length > 0 ? moved : formFields(place.view, false)
  const was = typedTexts(fields, form, 'was.')
  const to = new Map([...typedTexts(fields, form, 'to.'), ...typedTexts(moved, form, 'move.')])
  const etag = form.get('etag') ?? ''
  return { place, fields, was, to, etag }
}

interface Shown {
  readonly found?: FoundRows
  readonly faults?: ReadonlyMap<string, string>
  readonly refused?: ReceivedProblem
  /** The values when the form was made, where somebody else has changed the row since. */
  readonly opened?: FormTexts
}

const urlOf = (visit: Visit, { place }: Edit): string => visit.link(dataUrl('edit', place, place.id ?? ''))

const backLink = (visit: Visit, { place }: Edit): Markup =>
  html`<a href="${visit.link(dataUrl('row', place, place.id ?? ''))}">Leave it as it is</a>`

const shownForm = (
  visit: Visit,
  edit: Edit,
  shown: Shown,
  label = shortId(edit.place.id ?? ''),
): ShownPage => {
  const { place, fields, was, to, etag } = edit
  const { found = null, faults = new Map(), refused, opened } = shown
  const title = opened ? 'Changed meanwhile' : `Edit ${label}`
  return {
    title,
    status: opened ? 409 : (refused?.status ?? (faults.size > 0 ? 422 : 200)),
    body: html`<p class="crumbs"><a href="${visit.link(dataUrl('list', place))}">${place.view.name}</a> / <a href="${visit.link(dataUrl('row', place, place.id ?? ''))}">${label}</a></p>
<h1>${title}</h1>
${opened && bothChanges(edit, opened)}
${refused && problemNotice(refused, ({ field }) => fields.some(({ name }) => name === field))}
${
  fields.length === 0
    ? html`<p class="none">Nothing of this row can be changed.</p>`
    : visit.form(
        urlOf(visit, edit),
        html`<input type="hidden" name="etag" value="${etag}">${hiddenTexts(was, 'was.')}
<button class="first" tabindex="-1" aria-hidden="true">Review</button>
${formInputs({ fields, texts: to, faults, found, isNew: false })}
<p><button>Review the change</button> ${backLink(visit, edit)}</p>`,
      )
}`,
  }
}

/** The values of both, for who decides. What only somebody else has changed is in the form as it is now. */
const bothChanges = ({ fields, was: now, to }: Edit, opened: FormTexts): Markup => {
  const differ = fields.filter(
    ({ name }) => opened.get(name) !== now.get(name) || to.get(name) !== now.get(name),
  )
  return html`<p class="notice" role="alert">Somebody else has changed this row since you opened the form. Nothing was saved. Your values are in the form: change those that shall stay as they are now.</p>
${table(
  'Both changes',
  ['Field', 'When you opened it', 'Now', 'Yours'],
  differ.map(
    (field) =>
      html`<tr><th scope="row">${field.name}</th>${[opened, now, to].map((texts) => html`<td>${textToShow(field, texts)}</td>`)}</tr>`,
  ),
)}`
}

const carried = ({ etag, was, to }: Edit): Markup =>
  html`<input type="hidden" name="etag" value="${etag}">${hiddenTexts(was, 'was.')}${hiddenTexts(to, 'to.')}`

/** Asks once. */
const review = (visit: Visit, edit: Edit, changed: readonly ViewField[]): ShownPage => ({
  title: 'Save this change?',
  body: html`<h1>Save this change?</h1>
<p><code>PATCH ${rowPathOf(edit.place)}</code></p>
${differenceTable(changed, edit.was, edit.to)}
${visit.form(
  urlOf(visit, edit),
  html`${carried(edit)}<p><button name="confirmed" value="yes">Save</button> <button class="plain" name="back" value="yes">Back to the form</button> ${backLink(visit, edit)}</p>`,
)}`,
})

const save = async (
  visit: Visit,
  edit: Edit,
  body: { readonly [field: string]: unknown },
): Promise<ShownPage | GoTo> => {
  const { place, fields, was, to, etag } = edit
  const path = rowPathOf(place)
  const headers = etag === '' ? {} : { 'if-match': etag }
  const refused = problemOf(await visit.ask({ method: 'PATCH', path, body, headers }))
  if (!refused) return { goTo: visit.link(dataUrl('row', place, place.id ?? ''), { done: 'changed' }) }
  if (refused.status !== 412) return shownForm(visit, edit, { refused, faults: fieldFaults(refused) })
  const answer = await visit.ask({ method: 'GET', path })
  const now = textsOf(fields, rowOf(answer))
  const own = changedFields(fields, was, to).map(({ name }) => [name, to.get(name) ?? ''] as const)
  const again = { ...edit, was: now, to: new Map([...now, ...own]), etag: answer.headers.ETag ?? '' }
  return shownForm(visit, again, { opened: was })
}
