import type { PlainRequest } from '../call/exchange.ts'
import { ConsoleRefusal } from './console-refusal.ts'

/** A header as one text. */
export const header = ({ headers }: PlainRequest, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/**
 * Refuses what a page of another origin makes the browser send. Of these, only following a link is let through. Browsers since 2023 say in
 * Sec-Fetch-Site where a request comes from; of an older one, a POST must name our host in its Origin.
 */
export const refuseCrossSite = (request: PlainRequest): void => {
  const site = header(request, 'sec-fetch-site')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const isNavigation =
    header(request, 'sec-fetch-mode') === 'navigate' && header(request, 'sec-fetch-dest') === 'document'
  if (site === 'same-origin') return
  if (isRead && (site === undefined || site === 'none' || isNavigation)) return
  if (site === undefined && isOwnOrigin(header(request, 'origin'), request)) return
  throw new ConsoleRefusal(
    403,
    'Refused',
    'The console takes requests of its own pages only, and this one came from elsewhere.',
  )
}

const isOwnOrigin = (origin: string | undefined, request: PlainRequest): boolean =>
  origin !== undefined &&
  URL.canParse(origin) &&
  new URL(origin).host === (header(request, 'host') ?? new URL(request.origin).host)

/** Whether the request came over plain HTTP from this machine, to a name of this machine. A page of others reaches neither by DNS rebinding. */
export const isLocal = (request: PlainRequest): boolean => {
  const { protocol, hostname } = URL.canParse(request.origin) ? new URL(request.origin) : noUrl
  return protocol === 'http:' && localNames.has(hostname) && isLoopback(request.address)
}

const noUrl = { protocol: '', hostname: '' }
const localNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const isLoopback = (address: string): boolean => address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)

/** What proxies add. One on this machine passes on requests that came from elsewhere. */
const ofProxies = /^(?:forwarded|via|x-forwarded-.+|x-real-ip)$/

/** A request of a browser on this machine, which no proxy passed on. */
export const isDirectlyLocal = (request: PlainRequest): boolean =>
  isLocal(request) && !Object.keys(request.headers).some((name) => ofProxies.test(name))

const maxFormBytes = 1_048_576

export const readForm = async (request: PlainRequest): Promise<URLSearchParams> => {
  const type = header(request, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new ConsoleRefusal(415, 'Refused', 'Send a form: application/x-www-form-urlencoded.')
  const form = new URLSearchParams(new TextDecoder().decode(await request.readBody(maxFormBytes)))
  // No browser sends it, and PostgreSQL stores no text that has it.
  if ([...form].flat().some((text) => text.includes('\0')))
    throw new ConsoleRefusal(400, 'Refused', 'The form has the character U+0000, which no text may have.')
  return form
}
