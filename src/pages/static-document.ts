import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { PlainRequest, PlainResponse } from '../call/exchange.ts'
import { notModified } from '../respond/not-modified.ts'

/** A document that is the same for every caller. It is compressed at its first request, and has an ETag. */
export interface StaticDocument {
  respond(request: PlainRequest): Promise<PlainResponse>
}

export interface DocumentOptions {
  readonly type: string
  readonly cacheControl?: string
  readonly headers?: { readonly [name: string]: string }
}

type Encoding = 'br' | 'gzip' | 'identity'

/** A smaller body fits in one packet anyway. */
const worthCompressing = 1_400

export const staticDocument = (
  content: string | Uint8Array,
  { type, cacheControl = 'no-cache', headers: extra = {} }: DocumentOptions,
): StaticDocument => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 20)
  const bodies = new Map<Encoding, Promise<Uint8Array>>()
  const bodyIn = (encoding: Encoding): Promise<Uint8Array> => {
    const known = bodies.get(encoding) ?? encoded(bytes, encoding)
    bodies.set(encoding, known)
    return known
  }
  return {
    async respond(request) {
      const encoding = bytes.length < worthCompressing ? 'identity' : encodingFor(request)
      const etag = encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
      const headers: { [name: string]: string } = { ...extra, 'Cache-Control': cacheControl, ETag: etag }
      headers.Vary = extra.Vary ? `${extra.Vary}, Accept-Encoding` : 'Accept-Encoding'
      if (notModified(request.headers['if-none-match'] as string | undefined, etag))
        return { status: 304, headers, body: null }
      headers['Content-Type'] = type
      if (encoding !== 'identity') headers['Content-Encoding'] = encoding
      return { status: 200, headers, body: await bodyIn(encoding) }
    },
  }
}

/** Compresses a page that was made for one request. Bodies that are bytes are compressed already, or need not be. */
export const compressed = async (request: PlainRequest, response: PlainResponse): Promise<PlainResponse> => {
  const { body, headers, status } = response
  if (typeof body !== 'string' || body.length < worthCompressing) return response
  headers.Vary = headers.Vary ? `${headers.Vary}, Accept-Encoding` : 'Accept-Encoding'
  const encoding = encodingFor(request)
  if (encoding === 'identity') return response
  headers['Content-Encoding'] = encoding
  return { status, headers, body: await encoded(Buffer.from(body), encoding) }
}

const encodingFor = ({ headers }: PlainRequest): Encoding => {
  const accepted = String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';', 1)[0])
  if (accepted.includes('br')) return 'br'
  return accepted.includes('gzip') ? 'gzip' : 'identity'
}

const asBrotli = promisify(brotliCompress)
const asGzip = promisify(gzip)
/** A low quality, because the client waits for it. zlib runs off the main thread. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const encoded = async (bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array> => {
  if (encoding === 'br') return asBrotli(bytes, brotliOptions)
  return encoding === 'gzip' ? asGzip(bytes) : bytes
}
