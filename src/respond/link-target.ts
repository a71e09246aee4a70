/** A URL as the target of a `Link`: what the client sent unescaped must not end the target early. */
export const linkTarget = (url: string): string => `<${url.replace(/[<>"]/g, encodeURIComponent)}>`
