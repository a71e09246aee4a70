import { isPlainName } from '../call/caller.ts'
import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import type { Maybe } from '../maybe.ts'
import { createAssets } from '../pages/assets.ts'
import { html } from '../pages/markup.ts'
import { compressed } from '../pages/static-document.ts'
import { Problem } from '../problems.ts'
import { askEngine } from './ask-engine.ts'
import { type ConsoleGate, createConsoleGate, type Signed } from './console-gate.ts'
import { consoleHeaders, consoleResponse, createConsoleLayout, type Frame } from './console-layout.ts'
import type {
  ConsoleParts,
  ConsoleSources,
  Download,
  GoTo,
  PageEntry,
  PostedForm,
  ShownPage,
  Visit,
} from './console-page.ts'
import { ConsoleRefusal, noSuchPage } from './console-refusal.ts'
import { readForm, refuseCrossSite } from './console-request.ts'
import { type ConsoleRoute, findRoute, navigation } from './console-routes.ts'
import { consoleUrl } from './console-url.ts'
import { createSignInLimit } from './operators/sign-in-limit.ts'
import { refusalPage } from './refusal-page.ts'
import { signInPath } from './sign-in-page.ts'

export type Console = (request: PlainRequest) => Maybe<PlainResponse | null>

const isConsolePath = (path: string): boolean => path === '/console' || path.startsWith('/console/')

/**
 * Answers `/console` and all below it; null for any other path. Each request passes the same steps, whatever its page: it came from a page of
 * ours; it has a session, unless the page is one of the few that are open; its form, where it posts one, has the session's token.
 */
export const createConsole = (sources: ConsoleSources): Console => {
  const parts: ConsoleParts = { ...sources, signIns: createSignInLimit(sources.clock.now) }
  const gate = createConsoleGate(parts)
  const layout = createConsoleLayout(parts.model, createAssets())
  const answer = async (request: PlainRequest): Promise<PlainResponse | null> => {
    // Nobody can sign in: for the world, there is no console.
    if (!(await gate.isThere(request))) return null
    let signed: Signed | null = null
    let shown: ShownPage | GoTo | Download
    try {
      refuseCrossSite(request)
      signed = await gate.pass(request)
      shown = await respond(parts, gate, request, signed)
    } catch (error) {
      shown = refused(parts, request, error)
    }
    if ('goTo' in shown) return goneTo(shown)
    if ('download' in shown) return downloaded(shown)
    const text = layout(shown, frameOf(parts, request, signed))
    return compressed(request, consoleResponse(text, shown))
  }
  return (request) => (isConsolePath(request.path) ? answer(request) : null)
}

const respond = async (
  parts: ConsoleParts,
  gate: ConsoleGate,
  request: PlainRequest,
  signed: Signed | null,
): Promise<ShownPage | GoTo | Download> => {
  const { method } = request
  const isPost = method === 'POST'
  if (!isPost && method !== 'GET' && method !== 'HEAD')
    throw new ConsoleRefusal(405, 'Refused', 'The console takes GET and POST.')
  const route = findRoute(request.path)
  const entry: PageEntry = {
    parts,
    request,
    query: new URLSearchParams(request.query),
    params: route?.params ?? {},
  }
  if (route?.page.kind === 'open') {
    const form = isPost ? await readForm(request) : null
    return form ? route.page.post(entry, form) : route.page.get(entry)
  }
  // Without a session, a page that is there and one that is not look the same.
  if (!signed) {
    if (isPost)
      throw new ConsoleRefusal(401, 'Signed out', 'The session has ended. Sign in, and do this again.')
    return { goTo: consoleUrl(signInPath, { next: askedFor(request) }) }
  }
  if (!route) throw noSuchPage()
  const form = isPost ? await readForm(request) : null
  if (form && !gate.isToken(signed, form.get('token')))
    throw new ConsoleRefusal(403, 'Refused', 'The form is of another session. Open the page again.')
  return visited(route, visitOf(entry, signed), form)
}

const visited = (
  { page }: ConsoleRoute,
  visit: Visit,
  form: PostedForm | null,
): Maybe<ShownPage | GoTo | Download> => {
  if (page.kind === 'open') throw noSuchPage()
  const shown = form ? page.post?.(visit, form) : page.get?.(visit)
  if (!shown) throw new ConsoleRefusal(405, 'Refused', `This page takes no ${visit.request.method}.`)
  return shown
}

const visitOf = (entry: PageEntry, { operator, token }: Signed): Visit => {
  const { parts, request } = entry
  const account = chosenAccount(entry)
  return {
    ...entry,
    operator,
    account,
    ask(asking) {
      if (account === null) throw new ConsoleRefusal(400, 'No account', 'Choose an account first.')
      return askEngine(parts, request, { operator, account }, asking)
    },
    link: (path, query = {}) =>
      consoleUrl(path, { account: parts.model.soleAccount === null ? account : null, ...query }),
    form: (action, content) =>
      html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">${content}</form>`,
  }
}

const chosenAccount = ({ parts, query }: PageEntry): string | null => {
  const named = parts.model.soleAccount ?? query.get('account') ?? ''
  return isPlainName(named) ? named : null
}

/** Where to go on after the sign-in. */
const askedFor = ({ path, query }: PlainRequest): string => (query === '' ? path : `${path}?${query}`)

const goneTo = ({ goTo, headers }: GoTo): PlainResponse => ({
  status: 303,
  headers: { ...consoleHeaders(), ...headers, Location: goTo },
  body: null,
})

const downloaded = ({ download, type, live }: Download): PlainResponse => ({
  status: 200,
  headers: {
    ...consoleHeaders(),
    'Content-Type': type,
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(download).replaceAll("'", '%27')}`,
  },
  body: null,
  live,
})

const refused = (parts: ConsoleParts, request: PlainRequest, error: unknown): ShownPage => {
  const isExpected = error instanceof ConsoleRefusal || (error instanceof Problem && error.status < 500)
  if (!isExpected) parts.report(error, request)
  return refusalPage(error, request.id)
}

const frameOf = (parts: ConsoleParts, request: PlainRequest, signed: Signed | null): Frame => {
  if (!signed) return { navigation: [], account: null, operator: null }
  const entry = { parts, request, query: new URLSearchParams(request.query), params: {} }
  const { account, link, form } = visitOf(entry, signed)
  return {
    navigation: navigation(request.path).map((one) => ({ ...one, url: link(one.url) })),
    account:
      parts.model.soleAccount === null && account !== null
        ? html`<span class="account"><span class="label">Account</span> <b>${account}</b> <a href="/console/data">change</a></span>`
        : null,
    operator: html`<span class="operator"><a href="${link('/console/me')}">${signed.operator}</a></span>${!signed.isDevelopment && form('/console/sign-out', html`<button class="plain">Sign out</button>`)}`,
  }
}
