const unsafe = /[<>"]/

/** What the client sent unescaped must not end the target of a `Link` early. */
export const escapedForLink = (text: string): string =>
  unsafe.test(text) ? text.replace(/[<>"]/g, encodeURIComponent) : text

/** A URL as the target of a `Link`. */
export const linkTarget = (url: string): string => `<${escapedForLink(url)}>`
