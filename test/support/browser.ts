/** As much of a browser as a login needs: it keeps cookies, follows redirects, and fills in the forms of `oidc-provider`. */
export class Browser {
  readonly #cookies = new Map<string, string>()

  /** Opens the page, logs in as this person, agrees, and gives the address to which the app is called back. */
  async logIn(page: string, person: string, callback: string): Promise<URL> {
    let url = new URL(page)
    let form: URLSearchParams | null = null
    for (let step = 0; step < 20; step++) {
      const response = await this.#send(url, form)
      form = null
      const next = response.headers.get('location')
      if (next !== null) {
        url = new URL(next, url)
        if (url.href.startsWith(callback)) return url
        continue
      }
      const html = await response.text()
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(html) ?? []
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(html) ?? []
      if (!action || !prompt) throw new Error(`${url} shows no form to log in: ${response.status} ${html}`)
      url = new URL(action, url)
      form = new URLSearchParams({ prompt, ...(prompt === 'login' && { login: person, password: 'x' }) })
    }
    throw new Error(`${page} never called the app back`)
  }

  async #send(url: URL, form: URLSearchParams | null): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return response
  }
}
