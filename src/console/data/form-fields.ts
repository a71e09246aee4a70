import type { ViewField } from '../../compile/model.ts'
import { html, type Markup } from '../../pages/markup.ts'
import type { FoundRows } from './find-references.ts'
import type { FormTexts } from './form-values.ts'

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
  isNew ? required && !nullable : !nullable && kind !== 'string'

const input = (field: ViewField, id: string, text: string, isWrong: boolean, isNew: boolean): Markup => {
  const { kind, schema, nullable } = field
  const about = html` id="${id}" name="${id}" aria-describedby="${id}-hint${isWrong && ` ${id}-fault`}"${isWrong && html` aria-invalid="true"`}`
  const listed =
    kind === 'boolean' ? ['true', 'false'] : kind === 'enum' ? (schema.enum ?? []).map(String) : null
  if (listed && !(field.open && text !== '' && !listed.includes(text))) {
    const choices = [...(nullable || (isNew && text === '') ? [''] : []), ...listed]
    return html`<select${about}>${choices.map((one) => html`<option value="${one}"${one === text && html` selected`}>${one === '' ? 'none' : one}</option>`)}</select>`
  }
  if (
    kind === 'json' ||
    (kind === 'string' && (schema.maxLength ?? 1000) > 200 && schema.format === undefined)
  ) {
    const lines = Math.min(20, Math.max(kind === 'json' ? 4 : 2, text.split('\n').length))
    // A line end right after the tag is none of the text.
    return html`<textarea${about} rows="${lines}"${kind === 'json' && html` class="code" spellcheck="false"`}>
${text}</textarea>`
  }
  const type = field.writeOnly ? 'password' : kind === 'date' ? 'date' : 'text'
  return html`<input${about} type="${type}" value="${text}" autocomplete="off"${modeOf(field)}>`
}

const modeOf = ({ kind, schema }: ViewField): Markup => {
  if (kind === 'integer') return html` inputmode="numeric"`
  if (kind === 'number' || kind === 'decimal') return html` inputmode="decimal"`
  if (kind === 'datetime') return html` placeholder="2026-07-01T12:00:00Z"`
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
