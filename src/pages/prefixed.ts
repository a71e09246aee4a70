const ours = '/(?:docs|problems|assets|console|v[1-9][0-9]*)(?=[/"?#)])'
const attributes = new RegExp(`(\\b(?:href|src|action|data-[a-z]+)=")(?=${ours}|/")`, 'g')
const markdownLinks = new RegExp(`(\\]\\()(?=${ours})`, 'g')

/** A page whose links begin with the prefix. Text of others cannot look like an attribute: its quotes are escaped. */
export const prefixedHtml = (page: string, prefix: string): string =>
  prefix === '' ? page : page.replaceAll(attributes, `$1${prefix}`)

export const prefixedMarkdown = (text: string, prefix: string): string =>
  prefix === '' ? text : text.replaceAll(markdownLinks, `$1${prefix}`)

/** An OpenAPI document, or a part of one. Types of problems are texts and names of their own there, links stand in descriptions. */
export const prefixedDocument = <T>(document: T, prefix: string): T =>
  prefix === '' ? document : (prefixedValue(document, prefix) as T)

const prefixedValue = (value: unknown, prefix: string): unknown => {
  if (typeof value === 'string') return prefixedText(value, prefix)
  if (Array.isArray(value)) return value.map((one) => prefixedValue(one, prefix))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      prefixedPath(name, prefix),
      isSuccessor(name, one) ? prefix + one : prefixedValue(one, prefix),
    ]),
  )
}

/** Of a version that was retired, in the example of that problem. */
const isSuccessor = (name: string, value: unknown): value is string =>
  name === 'successor' && typeof value === 'string' && /^\/v\d+$/.test(value)

const ownPath = /^\/(?:problems\/[a-z-]+|docs\/migrations\/v\d+-to-v\d+)$/

const prefixedPath = (text: string, prefix: string): string => (ownPath.test(text) ? prefix + text : text)

const prefixedText = (text: string, prefix: string): string =>
  ownPath.test(text) ? prefix + text : prefixedMarkdown(text, prefix)
