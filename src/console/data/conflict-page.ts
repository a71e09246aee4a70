import type { ViewField } from '../../compile/model.ts'
import { html, type Markup } from '../../pages/markup.ts'
import type { PostedForm, ShownPage, Visit } from '../console-page.ts'
import { hiddenTexts, textToShow } from './differences.ts'
import type { FormTexts } from './form-values.ts'

/** Somebody else has changed the row since the form was made. */
export interface Conflict {
  readonly fields: readonly ViewField[]
  /** When the form was made. */
  readonly was: FormTexts
  /** In the store. */
  readonly now: FormTexts
  /** What was typed. */
  readonly to: FormTexts
  /** Of the row as it is now. */
  readonly etag: string
  readonly url: string
}

/** Shows both values of what differs. What only one side has changed needs no choice. */
export const conflictPage = (visit: Visit, conflict: Conflict): ShownPage => {
  const { fields, was, now, to, etag, url } = conflict
  const differ = fields.filter(
    ({ name }) => now.get(name) !== was.get(name) || (to.has(name) && to.get(name) !== was.get(name)),
  )
  return {
    title: 'Changed meanwhile',
    status: 409,
    body: html`<h1>Changed meanwhile</h1>
<p class="notice" role="alert">Somebody else has changed this row since you opened the form. Nothing was saved. Choose what it should be.</p>
${visit.form(
  url,
  html`<input type="hidden" name="etag" value="${etag}"><input type="hidden" name="resolving" value="yes">${hiddenTexts(now, 'was.')}${hiddenTexts(to, 'to.')}
${differ.map((field) => choices(field, conflict))}
<p><button>Review the change</button></p>`,
)}`,
  }
}

const choices = (field: ViewField, { was, now, to }: Conflict): Markup => {
  const { name } = field
  const isMine = to.has(name) && to.get(name) !== was.get(name)
  return html`<fieldset><legend>${name}</legend>
<p class="choice"><span class="side">When you opened it</span> ${textToShow(field, was)}</p>
${choice(field, 'now', now, !isMine)}${isMine && choice(field, 'yours', to, true)}</fieldset>`
}

const choice = (field: ViewField, value: string, texts: FormTexts, isChosen: boolean): Markup =>
  html`<label class="choice"><input type="radio" name="keep.${field.name}" value="${value}"${isChosen && html` checked`}> <span class="side">${value === 'now' ? 'Now' : 'Yours'}</span> ${textToShow(field, texts)}</label>`

/** The texts after the choice: what was not chosen is as it is now in the store. */
export const resolvedTexts = (
  fields: readonly ViewField[],
  now: FormTexts,
  to: FormTexts,
  form: PostedForm,
): FormTexts =>
  new Map(
    fields.map(({ name }) => [
      name,
      (form.get(`keep.${name}`) === 'yours' ? to.get(name) : now.get(name)) ?? '',
    ]),
  )
