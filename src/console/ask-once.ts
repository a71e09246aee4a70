import { html, type Markup } from '../pages/markup.ts'
import type { PostedForm, ShownPage, Visit } from './console-page.ts'

interface Question {
  readonly title: string
  /** What will happen, and inputs that belong to it. */
  readonly content: Markup
  /** The path that the first form was posted to. */
  readonly path: string
  /** What the form has, which is sent again. */
  readonly fields: readonly string[]
  readonly button: string
  readonly isGrave?: boolean
  readonly back: string
}

export const isConfirmed = (form: PostedForm): boolean => form.get('confirmed') === 'yes'

/** The page between a form and what it does. */
export const askOnce = (visit: Visit, form: PostedForm, question: Question): ShownPage => {
  const { title, content, path, fields, button, isGrave = false, back } = question
  return {
    title,
    body: html`<h1>${title}</h1>
${visit.form(
  visit.link(path),
  html`${fields.map((name) => html`<input type="hidden" name="${name}" value="${form.get(name) ?? ''}">`)}<input type="hidden" name="confirmed" value="yes">
<div class="fields tall">${content}</div>
<p><button${isGrave && html` class="grave"`}>${button}</button> <a href="${visit.link(back)}">Leave it as it is</a></p>`,
)}`,
  }
}
