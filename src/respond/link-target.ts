const unsafe = /[<>"]/

/** Escapes characters that would end the target of a `Link` header early. */
export const escapedForLink = (text: string): string =>
  unsafe.test(text) ? text.replace(/[<>"]/g, encodeURIComponent) : text

/** A URL as the target of a `Link`. */
export const linkTarget = (url: string): string => `<${escapedForLink(url)}>`
