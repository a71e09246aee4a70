import { consolePages } from '../../src/console/console-pages.ts'
import { findRoute } from '../../src/console/console-routes.ts'
import { formsIn, linksIn, type OperatorBrowser, type Page } from './operator-browser.ts'

type Fields = { readonly [name: string]: string }

/** A request of the console, as somebody came to it. */
export interface Step {
  /** The path of its entry in the table of pages. */
  readonly pattern: string
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** What is posted. */
  readonly form: Fields | null
}

export interface Reached extends Step {
  readonly page: Page
}

export interface Crawl {
  readonly start: readonly string[]
  /** What is typed into inputs that are empty. */
  readonly typed: string
  /** The steps that are not taken. */
  readonly leaveOut?: (step: Step) => boolean
  /** Called before a form is posted. */
  readonly before?: (step: Step) => Promise<void>
}

/** How often a page is asked for: with other accounts, rows and questions. */
const mostOfOne = 5

/** Ends what the crawl needs. */
const leftOut = '/console/sign-out'

/** Follows every link and sends every form, those that are posted and those that ask. Resolves with all that was answered. */
export async function crawl(
  ada: OperatorBrowser,
  { start, typed, before, leaveOut = () => false }: Crawl,
): Promise<readonly Reached[]> {
  const reached: Reached[] = []
  const asked = new Map<string, number>()
  const known = new Set<string>()
  const waiting: Step[] = []
  const ending: Step[] = []
  const add = (url: string, form: Step['form'] = null): void => {
    const pattern = findRoute(new URL(url, 'http://localhost').pathname)?.page.path
    const key = JSON.stringify([url, form && { ...form, key: '' }])
    if (pattern === undefined || pattern === leftOut || known.has(key)) return
    known.add(key)
    const step: Step = { pattern, method: form === null ? 'GET' : 'POST', url, form }
    if (leaveOut(step)) return
    const list = form !== null && /delete|revoke|retire/.test(pattern) ? ending : waiting
    list.push(step)
  }
  for (const url of start) add(url)
  // What ends something comes last: parts before the whole, a version before its consumers.
  const nextStep = () => waiting.shift() ?? ending.sort((a, b) => b.pattern.length - a.pattern.length).shift()
  for (let step = nextStep(); step; step = nextStep()) {
    const { pattern, method, url, form } = step
    // Each version by itself: one can be retired, and the newest cannot.
    const place = pattern.includes('{version}') ? new URL(url, 'http://localhost').pathname : pattern
    const kind = `${method} ${place} ${form?.confirmed ?? form?.find ?? (url.includes('done=') ? 'done' : '')}`
    const times = (asked.get(kind) ?? 0) + 1
    asked.set(kind, times)
    if (times > mostOfOne) continue
    if (form !== null) await before?.(step)
    const page = await ada.send(method, url, form === null ? {} : { form })
    reached.push({ ...step, page })
    if (page.location !== '') add(page.location)
    for (const posted of formsIn(page.text)) {
      const { action, fields, needed } = posted
      if (needed.every((name) => fields[name] !== '')) add(action, fields)
      add(
        action,
        changed(fields, (text, name) => (text === '' && needed.includes(name) ? typed : text)),
      )
      add(
        action,
        changed(fields, (text) => (text === '' ? typed : text)),
      )
      // A row is changed in its first field, and the page that shows that before it is written says yes by a button.
      const first = Object.keys(fields).find((name) => name.startsWith('to.'))
      if (action.includes('/edit/'))
        add(
          action,
          changed(fields, (text, name) => (name === first ? `${text}.` : text)),
        )
      const sought = Object.keys(fields).find((name) => name.startsWith('find.'))
      if (sought !== undefined)
        add(action, { ...fields, [sought]: typed, find: sought.slice('find.'.length) })
      if (form !== null && /\/(?:new|edit)\//.test(action)) add(action, { ...fields, confirmed: 'yes' })
    }
    for (const { action, fields } of formsIn(page.text, 'get'))
      add(`${action}?${new URLSearchParams(changed(fields, (text) => (text === '' ? typed : text)))}`)
    for (const link of linksIn(page.text)) add(link)
    // Names that every object of JavaScript has.
    if (times === 1 && form === null && !url.includes('constructor'))
      add(`${url}${url.includes('?') ? '&' : '?'}done=constructor&status=constructor&sort=constructor`)
  }
  return reached
}

const changed = (fields: Fields, change: (text: string, name: string) => string): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, change(text, name)]))

/** The pages that a crawl has not come to, by method. */
export const missed = (reached: readonly Reached[]): readonly string[] => {
  const seen = new Set(reached.map(({ method, pattern }) => `${method} ${pattern}`))
  return consolePages.flatMap((page) => {
    if (page.kind === 'open' || page.path === leftOut) return []
    const methods = [...(page.get ? ['GET'] : []), ...(page.post ? ['POST'] : [])]
    return methods.map((method) => `${method} ${page.path}`).filter((one) => !seen.has(one))
  })
}
