import { scryptSync } from 'node:crypto'
import { systemClock } from '../../src/clock.ts'
import { OperatorRing } from '../../src/console/operators/operator-ring.ts'
import { OperatorSessions } from '../../src/console/operators/operator-sessions.ts'
import type { TestApi } from '../../src/testing.ts'

export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Where a redirect leads. */
  readonly location: string
}

export interface SentAs {
  readonly headers?: { readonly [name: string]: string }
}

const password = 'correct horse battery'

const cheapHash = `scrypt:2:1:1:c2FsdA:${scryptSync(password, 'salt', 32, { N: 2, r: 1, p: 1 }).toString('base64url')}`

/** As much of a browser as the console needs: it keeps cookies, says where requests come from, and posts forms with their tokens. */
export class OperatorBrowser {
  readonly #api: Pick<TestApi, 'fetch'>
  readonly #cookies = new Map<string, string>()

  constructor(api: Pick<TestApi, 'fetch'>) {
    this.#api = api
  }

  /** Makes an operator who has the password of these tests, with a session. Its hash is a cheap one, because those of real ones are slow. */
  static async signedIn(api: TestApi, name = 'ada', clock = systemClock): Promise<OperatorBrowser> {
    const { store, model } = api.service
    const browser = new OperatorBrowser(api)
    const operators = new OperatorRing(store, clock)
    const known = await operators.useLink(await operators.create(name), cheapHash)
    if (known === null) throw new Error(`no operator ${name}`)
    const { secret } = await new OperatorSessions(store, clock).begin(known)
    browser.#cookies.set(`nounkit-console${model.prefix.replaceAll('/', '.')}-80`, secret)
    return browser
  }

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  useLink(code: string): Promise<Page> {
    return this.send('POST', `/console/welcome?code=${code}`, { form: { password, again: password } })
  }

  signIn(name: string, typed = password, sent: SentAs = {}): Promise<Page> {
    return this.send('POST', '/console/sign-in', { form: { name, password: typed }, ...sent })
  }

  get(path: string, sent: SentAs = {}): Promise<Page> {
    return this.send('GET', path, sent)
  }

  /** Opens a page, fills in its form that is posted to `action`, and sends that. Fields of the form that are not named stay as they are. */
  async submit(path: string, action: string, fields: { readonly [name: string]: string }): Promise<Page> {
    const page = await this.get(path)
    return this.submitIn(page, action, fields)
  }

  submitIn(page: Page, action: string, fields: { readonly [name: string]: string }): Promise<Page> {
    const form = formsIn(page.text).find((one) => one.action.split('?')[0] === action)
    if (!form) throw new Error(`no form of ${action} in: ${page.text}`)
    return this.send('POST', form.action, { form: { ...form.fields, ...fields } })
  }

  /** Follows the redirect of a page. */
  follow(page: Page): Promise<Page> {
    return this.get(page.location)
  }

  async send(
    method: string,
    path: string,
    { form, headers = {} }: SentAs & { readonly form?: { readonly [name: string]: string } },
  ): Promise<Page> {
    const response = await this.#api.fetch(path, {
      method,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(this.#cookies.size > 0 && { cookie: this.cookies }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location') ?? '',
    }
  }
}

interface FormInPage {
  readonly action: string
  readonly fields: { readonly [name: string]: string }
  /** The names of inputs that a browser does not send empty. */
  readonly needed: readonly string[]
}

/** The forms that are posted (or those that ask), with their fields as they stand. */
export const formsIn = (text: string, method = 'post'): readonly FormInPage[] =>
  [...text.matchAll(/<form[^>]*method="(\w+)"[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].flatMap(
    ([, by, action = '', inner = '']) =>
      by === method ? [{ action: unescaped(action), fields: fieldsIn(inner), needed: neededIn(inner) }] : [],
  )

const neededIn = (form: string): readonly string[] =>
  [...form.matchAll(/<input\b[^>]*\brequired\b[^>]*>/g)].map(([tag]) => attribute(tag, 'name') ?? '')

/** Where the links of a page lead. */
export const linksIn = (text: string): readonly string[] =>
  [...text.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)].map(([, url = '']) => unescaped(url))

const fieldsIn = (form: string): { readonly [name: string]: string } => {
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].flatMap(([tag]) => {
    const name = attribute(tag, 'name')
    const isOff = /type="(checkbox|radio)"/.test(tag) && !/\bchecked\b/.test(tag)
    return name === null || isOff ? [] : [[name, attribute(tag, 'value') ?? ''] as const]
  })
  const areas = [...form.matchAll(/<textarea\b[^>]*name="([^"]*)"[^>]*>\n?(.*?)<\/textarea>/gs)].map(
    ([, name = '', value = '']) => [unescaped(name), unescaped(value)] as const,
  )
  const selects = [...form.matchAll(/<select\b[^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)].map(
    ([, name = '', inner = '']) => {
      const chosen =
        /<option value="([^"]*)"[^>]*selected/.exec(inner) ?? /<option value="([^"]*)"/.exec(inner)
      return [unescaped(name), unescaped(chosen?.[1] ?? '')] as const
    },
  )
  return Object.fromEntries([...inputs, ...areas, ...selects])
}

const attribute = (tag: string, name: string): string | null => {
  const found = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)
  return found ? unescaped(found[1] ?? '') : null
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
