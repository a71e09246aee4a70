import type { View, ViewField } from '../../compile/model.ts'
import type { PostedForm } from '../console-page.ts'
import { kindOnPage } from './kind-on-page.ts'
import type { ConsoleRow } from './shown-value.ts'

/** Values of fields as a form has them: texts. A field that is not there is not in the form. */
export type FormTexts = ReadonlyMap<string, string>

/** The fields of a form, for a new row or for one that is there. States move by buttons of their own. */
export const formFields = (view: View, isNew: boolean): readonly ViewField[] =>
  view.fields.filter(
    ({ readOnly, immutable, states, name }) =>
      !readOnly && name !== 'id' && states === null && (isNew || !immutable),
  )

/** A value as its input has it. What is not set is the empty text. */
export const textOf = ({ kind }: ViewField, value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (kindOnPage[kind].shownAs === 'json') return JSON.stringify(value, null, 2)
  return typeof value === 'string' ? withPlainEnds(value) : JSON.stringify(value)
}

/** Browsers end lines of a text area with CR LF. */
const withPlainEnds = (text: string): string => text.replaceAll('\r\n', '\n')

/** The value of an input. */
const sentValue = ({ kind, nullable }: ViewField, text: string): unknown =>
  text === '' && (!kindOnPage[kind].mayBeEmpty || nullable) ? null : kindOnPage[kind].sent(text)

/** What was typed, by field. */
export const typedTexts = (fields: readonly ViewField[], form: PostedForm, prefix = 'to.'): FormTexts =>
  new Map(
    fields.flatMap(({ name }) => {
      const text = form.get(prefix + name)
      return text === null ? [] : [[name, withPlainEnds(text)]]
    }),
  )

export const textsOf = (fields: readonly ViewField[], row: ConsoleRow): FormTexts =>
  new Map(fields.map((field) => [field.name, field.writeOnly ? '' : textOf(field, row[field.name])]))

/** The fields whose text is another one than it was. */
export const changedFields = (
  fields: readonly ViewField[],
  was: FormTexts,
  now: FormTexts,
): readonly ViewField[] =>
  fields.filter(({ name }) => now.has(name) && now.get(name) !== (was.get(name) ?? ''))

/** The body of a write; a sentence for each field whose JSON cannot be read. */
export const bodyOf = (
  fields: readonly ViewField[],
  texts: FormTexts,
): { readonly body: { readonly [field: string]: unknown }; readonly faults: ReadonlyMap<string, string> } => {
  const body: { [field: string]: unknown } = {}
  const faults = new Map<string, string>()
  for (const field of fields) {
    try {
      body[field.name] = sentValue(field, texts.get(field.name) ?? '')
    } catch {
      faults.set(field.name, 'is not JSON')
    }
  }
  return { body, faults }
}
