import type { ViewField } from '../../compile/model.ts'
import { html, type Markup } from '../../pages/markup.ts'
import type { FoundRows } from './find-references.ts'
import type { FormTexts } from './form-values.ts'
import { kindOnPage } from './kind-on-page.ts'

export interface FieldsInForm {
  readonly fields: readonly ViewField[]
  readonly texts: FormTexts
  /** What is wrong, by field. */
  readonly faults: ReadonlyMap<string, string>
  /** Rows that a reference may lead to, where somebody looked for some. */
  readonly found: FoundRows | null
  readonly isNew: boolean
}

/** Inputs for fields, as the declaration has them. */
export const formInputs = (given: FieldsInForm): Markup =>
  html`<div class="fields tall">${given.fields.map((field) => inputWithLabel(field, given))}</div>`

const inputWithLabel = (field: ViewField, { texts, faults, found, isNew }: FieldsInForm): Markup => {
  const id = `to.${field.name}`
  const fault = faults.get(field.name)
  const text = texts.get(field.name) ?? (isNew ? defaultText(field) : '')
  return html`<div class="field"><label for="${id}">${field.name}${isNeeded(field, isNew) && html` <span class="needed">required</span>`}</label>
${input(field, id, text, fault !== undefined, isNew)}
${fault !== undefined && html`<p class="fault" id="${id}-fault">${fault}</p>`}
<small id="${id}-hint">${field.description}${field.writeOnly && !isNew && ' It cannot be read: empty leaves it as it is.'}</small>
${field.target && reference(field, found)}</div>`
}

const defaultText = ({ default: value }: ViewField): string => {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const isNeeded = ({ required, nullable, kind }: ViewField, isNew: boolean): boolean =>
  isNew ? required && !nullable : !nullable && !kindOnPage[kind].mayBeEmpty

const input = (field: ViewField, id: string, text: string, isWrong: boolean, isNew: boolean): Markup => {
  const { schema, nullable } = field
  const { choices: choicesOf, isLong, inputType, shownAs } = kindOnPage[field.kind]
  const about = html` id="${id}" name="${id}" aria-describedby="${id}-hint${isWrong && ` ${id}-fault`}"${isWrong && html` aria-invalid="true"`}`
  const listed = choicesOf(schema)
  if (listed && !(field.open && text !== '' && !listed.includes(text))) {
    const choices = [...(nullable || (isNew && text === '') ? [''] : []), ...listed]
    return html`<select${about}>${choices.map((one) => html`<option value="${one}"${one === text && html` selected`}>${one === '' ? (isNeeded(field, isNew) ? 'choose' : 'none') : one}</option>`)}</select>`
  }
  if (isLong(schema)) {
    const isCode = shownAs === 'json'
    const lines = Math.min(20, Math.max(isCode ? 4 : 2, text.split('\n').length))
    // A line end right after the tag is none of the text.
    return html`<textarea${about} rows="${lines}"${isCode && html` class="code" spellcheck="false"`}>
${text}</textarea>`
  }
  const type = field.writeOnly ? 'password' : inputType
  return html`<input${about} type="${type}" value="${text}" autocomplete="off"${modeOf(field)}>`
}

const modeOf = ({ kind, schema }: ViewField): Markup => {
  const { inputMode, example } = kindOnPage[kind]
  if (inputMode !== null) return html` inputmode="${inputMode}"`
  if (example !== null) return html` placeholder="${example}"`
  return html`${schema.maxLength !== undefined && html` maxlength="${schema.maxLength}"`}`
}

/** A reference is found by searching: a button that sends the form, and buttons for what was found. */
const reference = ({ name, target }: ViewField, found: FoundRows | null): Markup => {
  const wanted = target?.().name ?? ''
  const here = found?.field === name ? found : null
  return html`<span class="pair"><input name="find.${name}" type="search" value="${here?.words ?? ''}" aria-label="Words of ${wanted}" placeholder="Find in ${wanted}"><button class="plain" name="find" value="${name}" formnovalidate>Find</button></span>
${
  here &&
  html`<div class="found" role="status">${
    here.rows.length === 0
      ? html`<p class="none">${here.refusal ?? 'Nothing was found.'}</p>`
      : here.rows.map(
          ({ id, label }) =>
            html`<button class="plain" name="pick" value="${name}=${id}" formnovalidate>${label}${label !== id && html` <code>${id}</code>`}</button>`,
        )
  }</div>`
}`
}
