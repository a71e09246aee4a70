/** Far more than any key set or discovery document has. */
const maxBytes = 512 * 1024

/** Fetches a small document. Redirects are not followed, and a body that is longer than `maxBytes` is not read to its end. */
export async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  const { status, statusText, body } = await fetch(url, { ...init, redirect: 'manual' })
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > maxBytes) throw new Error(`${url} has more than ${maxBytes} bytes`)
    parts.push(part)
  }
  return new Response(parts.length === 0 ? null : Buffer.concat(parts), { status, statusText })
}
