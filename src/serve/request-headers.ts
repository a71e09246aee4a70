/** Those that are read here, so that nearly every header is known by the way it is spelt and none is put in lower case anew. */
const names = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'origin',
  'traceparent',
  'transfer-encoding',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
]

const inTitleCase = (name: string): string => name.replace(/(^|-)\w/g, (start) => start.toUpperCase())

interface Spelling {
  readonly spelt: string
  readonly name: string
}

/**
 * By their length, of which few share one: V8 would enter every name that a map is asked for into a table of its own first,
 * which takes longer than to compare it.
 */
const byLength: Spelling[][] = []
for (const name of names)
  for (const spelt of [inTitleCase(name), name]) {
    byLength[name.length] ??= []
    byLength[name.length]?.push({ spelt, name })
  }

function nameOf(spelt: string): string {
  for (const one of byLength[spelt.length] ?? []) if (one.spelt === spelt) return one.name
  return spelt.toLowerCase()
}

/**
 * Names and values in turn, as node:http hands them over, by names in lower case. One that is sent twice is joined with a
 * comma (RFC 9110 §5.3), a second Authorization or Host too: joined, it is no valid one, where the first alone would be taken.
 */
export function readHeaders(raw: readonly string[]): { readonly [name: string]: string } {
  const headers: { [name: string]: string } = {}
  for (let at = 0; at < raw.length; at += 2) {
    const name = nameOf(raw[at] ?? '')
    const value = raw[at + 1] ?? ''
    const before = headers[name]
    headers[name] = typeof before === 'string' ? `${before}${name === 'cookie' ? ';' : ','} ${value}` : value
  }
  return headers
}
