import type { Deprecation } from './client-types.ts'

/** Versions that were told of in this process. */
const told = new Set<string>()

const toConsole = ({ version, sunset, guide }: Deprecation): void =>
  console.warn(
    `${version} of the API is deprecated${sunset ? ` and ends on ${sunset}` : ''}.${guide ? ` How to move on: ${guide}` : ''}`,
  )

/** Tells of a deprecated version, once, by the headers of an answer (RFC 9745, RFC 8594). */
export function tellDeprecation(
  target: string,
  { headers, url: answeredAt }: Response,
  url: string,
  tell: (notice: Deprecation) => void = toConsole,
): void {
  if (!headers.has('deprecation')) return
  const [version = ''] = target.slice(url.length + 1).split(/[/?]/)
  const name = `${url}/${version}`
  if (told.has(name)) return
  told.add(name)
  const ends = Date.parse(headers.get('sunset') ?? '')
  const [, guide] = /<([^>]*)>; rel="deprecation"/.exec(headers.get('link') ?? '') ?? []
  tell({
    version,
    sunset: Number.isNaN(ends) ? null : new Date(ends).toISOString().slice(0, 10),
    guide: guide === undefined ? null : new URL(guide, answeredAt || target).href,
  })
}
