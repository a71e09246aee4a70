const mostSecondsOff = 300

type HeadersLike = Headers | { readonly [name: string]: string | readonly string[] | undefined }

/** Checks that a call to a webhook came from the service, and gives the text of its body. */
export async function verifiedBody(
  secret: string,
  headers: HeadersLike,
  body: string | Uint8Array,
): Promise<string> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('verifyWebhook needs the body as it came, before it is parsed: as text or bytes')
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  )
  if (!id || !timestamp || !signatures)
    throw new Error(
      'This is no call of a webhook: webhook-id, webhook-timestamp or webhook-signature is missing',
    )
  const off = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(off <= mostSecondsOff))
    throw new Error(`The timestamp of the webhook is more than ${mostSecondsOff / 60} minutes off`)
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const key = await crypto.subtle.importKey(
    'raw',
    bytesOf(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  // While a secret is being replaced, there are two signatures.
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',')
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(value), signed))) return text
  }
  throw new Error('The signature of the webhook is wrong')
}

const headerOf = (headers: HeadersLike, name: string): string | null => {
  if (headers instanceof Headers) return headers.get(name)
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return value === undefined ? null : String(value)
}

/** Base64 → bytes; none where it is not base64. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
  } catch {
    return new Uint8Array(0)
  }
}
