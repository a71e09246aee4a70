const unsafe = /[<>"]/

/** A URL as the target of a `Link`: what the client sent unescaped must not end the target early. */
export const linkTarget = (url: string): string =>
  `<${unsafe.test(url) ? url.replace(/[<>"]/g, encodeURIComponent) : url}>`
