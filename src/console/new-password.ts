import { html, type Markup } from '../pages/markup.ts'
import type { PostedForm } from './console-page.ts'

const leastLength = 12
const mostLength = 1000

/** What is wrong with a new password; null for one that will do. Length is what counts: NIST SP 800-63B asks for no mixture of characters. */
export const newPasswordFault = (form: PostedForm): string | null => {
  const password = form.get('password') ?? ''
  if (password.length < leastLength) return `A password has at least ${leastLength} characters.`
  if (password.length > mostLength) return `A password has at most ${mostLength} characters.`
  if (new Set(password).size < 5) return 'The password has too few different characters.'
  return password === form.get('again') ? null : 'The two passwords differ.'
}

export const newPasswordFields = (
  name: string,
): Markup => html`<input type="hidden" name="name" autocomplete="username" value="${name}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${leastLength}" maxlength="${mostLength}" aria-describedby="password-hint">
<small id="password-hint">At least ${leastLength} characters.</small>
<label for="again">The same again</label>
<input id="again" name="again" type="password" autocomplete="new-password" required maxlength="${mostLength}">`
