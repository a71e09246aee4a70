/** RFC 1035 §2.3.4. */
const [longestName, longestLabel] = [253, 63]
/** A character of a host in percent-encoded UTF-8. */
const longestEncoded = '%e8%aa%9e'.length

/** An absolute URL without white space. */
export const isUrl = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && hasShortHost(text) && URL.canParse(text)

/**
 * The parser writes a label of other letters than a-z in Punycode, which takes quadratic time: 0.4 s for 4,000 characters. No such label
 * that is longer than labels may be is given to it.
 */
const hasShortHost = (text: string): boolean => {
  const authority = /^(?:https?|wss?|ftp|file):[/\\]*([^/\\?#]*)/i.exec(text)?.[1] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (/^[\x21-\x24\x26-\x7e]*$/.test(host)) return true
  if (host.length > longestName * longestEncoded) return false
  const name = decoded(host)
  return (
    name !== null &&
    name.length <= longestName &&
    name.split('.').every(({ length }) => length <= longestLabel)
  )
}

const decoded = (host: string): string | null => {
  try {
    return decodeURIComponent(host)
  } catch {
    return null
  }
}
