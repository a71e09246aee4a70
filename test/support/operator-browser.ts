import { systemClock } from '../../src/clock.ts'
import { OperatorRing } from '../../src/console/operators/operator-ring.ts'
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

/** As much of a browser as the console needs: it keeps cookies, says where requests come from, and posts forms with their tokens. */
export class OperatorBrowser {
  readonly #api: Pick<TestApi, 'fetch'>
  readonly #cookies = new Map<string, string>()

  constructor(api: Pick<TestApi, 'fetch'>) {
    this.#api = api
  }

  /** Makes an operator, who uses the one-time link. */
  static async signedIn(api: TestApi, name = 'ada', clock = systemClock): Promise<OperatorBrowser> {
    const browser = new OperatorBrowser(api)
    await browser.useLink(await new OperatorRing(api.service.store, clock).create(name))
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
}

/** The forms that are posted, with their fields as they stand. */
export const formsIn = (text: string): readonly FormInPage[] =>
  [...text.matchAll(/<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = '', inner = '']) => ({ action: unescaped(action), fields: fieldsIn(inner) }),
  )

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
