import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIPv4, type LookupFunction } from 'node:net'
import { type AddressGuard, addressGuard } from './addresses.ts'
import { writtenAddresses } from './endpoint-url.ts'
import { resolveNames } from './resolve-names.ts'
import type { WebhookSettings } from './webhook-settings.ts'

/** What became of one call. */
export interface CallResult {
  /** Null where no answer came. */
  readonly status: number | null
  /** Null after a 2xx. */
  readonly error: CallError | null
  /** The Retry-After of a 429 or 503. */
  readonly retryAfter: string | null
}

export type CallError =
  /** The URL or its name leads to an address that is not public. */
  | 'address-not-allowed'
  /** The name has no address, or its name server does not answer. */
  | 'name-not-found'
  /** The certificate is not trusted, or TLS failed otherwise. */
  | 'tls-failed'
  /** The connection was refused, reset, or closed before an answer. */
  | 'connection-failed'
  /** No answer in time. */
  | 'timeout'
  /** An answer that is neither 2xx nor a redirect. */
  | 'status'
  /** Redirects are not followed. */
  | 'redirect'

export interface EndpointCaller {
  post(url: string, headers: { readonly [name: string]: string }, body: string): Promise<CallResult>
  /** Closes idle connections. */
  close(): void
}

const usualTimeoutMs = 15_000
/** The most that is read of an answer, so that its connection can be used again. */
const mostBytes = 65_536
const idleConnections = 10
const idleMs = 30_000

/** The code of the error that `judgedLookup` gives where no address of a name is allowed. */
const notAllowed = 'ADDRESS_NOT_ALLOWED'

/** Makes the calls. The address is judged where the connection is opened, so that a name cannot change its address in between. */
export function createCaller(settings: WebhookSettings): EndpointCaller {
  const guard = addressGuard(settings.allow)
  const { timeoutMs = usualTimeoutMs, ca, resolve = resolveNames() } = settings
  const options = {
    keepAlive: true,
    maxFreeSockets: idleConnections,
    timeout: idleMs,
    scheduling: 'lifo',
  } as const
  const plain = new HttpAgent(options)
  const tls = new HttpsAgent({ ...options, ...(ca === undefined ? {} : { ca }) })
  const lookups = {
    'http:': judgedLookup(guard, 'http:', resolve),
    'https:': judgedLookup(guard, 'https:', resolve),
  }
  const post: EndpointCaller['post'] = async (text, headers, body) => {
    const url = new URL(text)
    const scheme = url.protocol === 'http:' ? 'http:' : 'https:'
    // Node connects to a literal address without a lookup.
    const written = writtenAddresses(url)
    if (written.length > 0 && !written.some((address) => guard.allows(address, scheme)))
      return failed('address-not-allowed')
    const call = scheme === 'http:' ? httpRequest : httpsRequest
    const request = call(url, {
      method: 'POST',
      agent: scheme === 'http:' ? plain : tls,
      lookup: lookups[scheme],
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'nounkit-webhooks',
        ...headers,
      },
    })
    const result = resultOf(request, timeoutMs)
    // As text, which node:http sends together with the head.
    request.end(body)
    // The receiver closed an idle connection at the moment it was used again: nothing is known to have arrived.
    return (await result) === staleConnection ? post(text, headers, body) : result
  }
  return {
    post,
    close() {
      plain.destroy()
      tls.destroy()
    },
  }
}

const failed = (error: CallError): CallResult => ({ status: null, error, retryAfter: null })
const staleConnection = failed('connection-failed')

/** Resolves when the call is over, its answer included: an endpoint that never ends its answers must not have ever more of them open. */
function resultOf(request: ClientRequest, timeoutMs: number): Promise<CallResult> {
  return new Promise((resolve) => {
    let result: CallResult | null = null
    const end = (otherwise: CallResult): void => resolve(result ?? otherwise)
    // The timer ends the whole call, the rest of the answer too: a timeout of the socket starts anew with every byte.
    const timer = setTimeout(() => {
      end(failed('timeout'))
      request.destroy()
    }, timeoutMs)
    request.on('close', () => {
      clearTimeout(timer)
      end(failed('connection-failed'))
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && error.code === 'ECONNRESET'
      end(stale ? staleConnection : failed(errorOf(error)))
    })
    request.on('response', (response) => {
      result = judged(response)
      readAway(response)
    })
  })
}

function judged({ statusCode = 0, headers }: IncomingMessage): CallResult {
  if (statusCode >= 200 && statusCode < 300) return { status: statusCode, error: null, retryAfter: null }
  const mayWait = statusCode === 429 || statusCode === 503
  return {
    status: statusCode,
    error: statusCode >= 300 && statusCode < 400 ? 'redirect' : 'status',
    retryAfter: mayWait ? (headers['retry-after'] ?? null) : null,
  }
}

/** The status decides. The body is read only to its end, or to the limit, where the connection is closed. */
function readAway(response: IncomingMessage): void {
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > mostBytes) response.destroy()
  })
  response.on('error', () => {})
}

function errorOf(error: NodeJS.ErrnoException): CallError {
  const { code = '' } = error
  if (code === notAllowed) return 'address-not-allowed'
  if (['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT'].includes(code)) return 'name-not-found'
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)) return 'tls-failed'
  return 'connection-failed'
}

/** Finds the addresses of a name and leaves out those that are not allowed: the connection is opened to one of the others. */
function judgedLookup(
  guard: AddressGuard,
  scheme: 'http:' | 'https:',
  resolve: NonNullable<WebhookSettings['resolve']>,
): LookupFunction {
  return (name, options, callback) => {
    const local = writtenAddresses({ hostname: name })
    const known = local.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }))
    const finding = known.length > 0 ? Promise.resolve(known) : resolve(name)
    finding.then(
      (found) => {
        const allowed = found.filter(({ address }) => guard.allows(address, scheme))
        const [first] = allowed
        if (found.length === 0) callback(Object.assign(new Error(name), { code: 'ENOTFOUND' }), '', 0)
        else if (!first) callback(Object.assign(new Error(name), { code: notAllowed }), '', 0)
        else if (options.all) callback(null, [...allowed])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    )
  }
}
