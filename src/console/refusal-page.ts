import { html } from '../pages/markup.ts'
import { Problem } from '../problems.ts'
import type { ShownPage } from './console-page.ts'
import { ConsoleRefusal } from './console-refusal.ts'

/** What is shown in place of a page. An error that nobody expected says its request only: the log has the rest. */
export const refusalPage = (error: unknown, requestId: string): ShownPage => {
  const [status, title, detail, headers] = wordsOf(error)
  return {
    title,
    status,
    headers,
    body: html`<h1>${title}</h1>
<p class="notice" role="alert">${detail}</p>
<p class="legend">Request <code>${requestId}</code>. <a href="/console">To the start of the console</a></p>`,
  }
}

const wordsOf = (error: unknown): readonly [number, string, string, { readonly [name: string]: string }] => {
  if (error instanceof ConsoleRefusal) return [error.status, error.title, error.message, {}]
  if (error instanceof Problem)
    return [error.status, 'Refused', error.details.detail, error.details.headers ?? {}]
  return [500, 'This did not work', 'Something failed that should not. The log of the service says what.', {}]
}
