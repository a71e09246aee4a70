import { gunzipSync, gzipSync } from 'node:zlib'

const isText = /json|html|markdown|javascript|event-stream|text\/plain/

/**
 * The answer of a service that is mounted below a prefix, as that of one that is not. Throws where a URL of ours does not begin with the
 * prefix: in headers, or as a whole text in a body.
 */
export async function atRoot(response: Response, prefix: string): Promise<Response> {
  const headers = new Headers(response.headers)
  for (const name of ['location', 'content-location', 'link']) {
    const value = headers.get(name)
    if (value !== null) headers.set(name, headerAtRoot(value, prefix))
  }
  const { status, body } = response
  const type = headers.get('content-type') ?? ''
  if (!body || !isText.test(type)) return new Response(body, { status, headers })
  if (type.includes('event-stream')) {
    const texts = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    const changed = new TransformStream<string, string>({
      transform: (text, controller) => controller.enqueue(textAtRoot(text, prefix)),
    })
    return new Response(texts.pipeThrough(changed).pipeThrough(new TextEncoderStream()), { status, headers })
  }
  const isPacked = headers.get('content-encoding') === 'gzip'
  const sent = Buffer.from(await response.arrayBuffer())
  const text = String(isPacked ? gunzipSync(sent) : sent)
  const bare = type.includes('json') ? /"\/(?:v\d+|problems|docs)(?:[/?][^"]*)?"/.exec(text) : null
  if (bare) throw new Error(`${bare[0]} is in an answer of a service below ${prefix}: ${text.slice(0, 500)}`)
  const changed = textAtRoot(text, prefix)
  // Content-Length stays as it was sent, so that HEAD has the same.
  return new Response(isPacked ? gzipSync(changed) : changed, { status, headers })
}

function headerAtRoot(value: string, prefix: string): string {
  const paths = value.startsWith('<')
    ? [...value.matchAll(/<([^>]*)>/g)].map(([, url]) => url ?? '')
    : [value]
  const bare = paths.find((path) => path.startsWith('/') && path !== prefix && !path.startsWith(`${prefix}/`))
  if (bare !== undefined) throw new Error(`${bare} is in a header of a service below ${prefix}`)
  return textAtRoot(value, prefix)
}

/** Not of URLs that begin with a host. */
const textAtRoot = (text: string, prefix: string): string =>
  text.replaceAll(new RegExp(`(?<![\\w.:~-])${prefix}(/|(?=["'<>#?\\s])|$)`, 'g'), '/')
