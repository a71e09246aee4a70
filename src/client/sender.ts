import type { ClientOptions } from './client-types.ts'
import { tellDeprecation } from './deprecation.ts'
import { CallError, isProblemNamed, type ProblemBody, ProblemError } from './problem-error.ts'

/** What may be sent again: `read` and `create` (with its key) always, `write` unless the service failed, `patch` only if nothing was done. */
type Repeating = 'read' | 'create' | 'write' | 'patch'

export interface Call {
  readonly method: string
  /** Below the version: `/orders`. */
  readonly path: string
  readonly query?: string
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly repeating: Repeating
  readonly signal?: AbortSignal | undefined
}

export interface Reply {
  /** Without a body, as that of a DELETE, `null`. */
  readonly body: { readonly data: unknown; readonly page?: unknown } | null
  readonly headers: Headers
  readonly tries: number
}

const statusesToRepeat: { readonly [R in Repeating]: readonly number[] } = {
  read: [408, 425, 429, 500, 502, 503, 504],
  create: [408, 425, 429, 500, 502, 503, 504],
  write: [408, 425, 429, 502, 503, 504],
  patch: [429, 503],
}
const mostMsPerTry = 20_000
const leastPauseMs = 100
const mostPauseMs = 5_000

/** Errors of Node, Bun and Deno that say that no byte of the request was sent. Browsers do not tell. */
const neverSent =
  /ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT/

/** Sends requests, and sends them again where that cannot do harm. */
export class Sender {
  readonly url: string
  readonly options: ClientOptions
  #version: Promise<string> | undefined
  #unkeyed: Promise<readonly string[]> | undefined

  constructor(options: ClientOptions) {
    this.options = options
    this.url = options.url.replace(/\/+$/, '')
    if (options.version !== undefined) this.#version = Promise.resolve(options.version)
  }

  async send(call: Call): Promise<Reply> {
    return this.#send(await this.#target(call), call)
  }

  /** One try, for a stream that the caller reads. */
  async open(call: Call): Promise<Response> {
    const target = await this.#target(call)
    let response = await this.#fetch(target, call, call.signal)
    if (response.status === 401 && this.options.token) response = await this.#fetch(target, call, call.signal)
    if (response.ok && /^text\/event-stream/.test(response.headers.get('content-type') ?? '')) return response
    throw this.#refusal(call, response, await response.text(), 1)
  }

  async #target({ path, query }: Call): Promise<string> {
    this.#version ??= this.#newestVersion()
    const version = await this.#version
    return `${this.url}/${version}${path}${query ? `?${query}` : ''}`
  }

  /** Asked once; again after a failure. */
  #newestVersion(): Promise<string> {
    const call: Call = { method: 'GET', path: '/', repeating: 'read' }
    const asked = this.#send(`${this.url}/`, call).then(({ body }) => {
      const { versions = [] } = (body?.data ?? {}) as { versions?: { name: string; status: string }[] }
      const newest = versions.find(({ status }) => status !== 'retired')
      if (!newest) throw new CallError(`GET ${this.url}/ names no version that is served`, 1, 200)
      return newest.name
    })
    asked.catch(() => {
      this.#version = undefined
    })
    return asked
  }

  async #send(target: string, call: Call): Promise<Reply> {
    const { retries = 5, deadline = 60_000 } = this.options
    const end = Date.now() + deadline
    for (let tries = 1, hasNewToken = false; ; tries++) {
      const outcome = await this.#try(target, call, end, tries)
      if (!(outcome instanceof Error)) return outcome
      const isExpired = isRefused(outcome, 401) && this.options.token && !hasNewToken
      if (isExpired) hasNewToken = true
      else if (tries > retries || !(await this.#mayRepeat(target, call, outcome))) throw outcome
      const pause = isExpired ? 0 : pauseMs(outcome, tries)
      if (Date.now() + pause >= end) throw outcome
      await wait(pause, call.signal)
    }
  }

  async #mayRepeat(target: string, { repeating, path }: Call, outcome: Error): Promise<boolean> {
    if (repeating !== 'create' || mayRepeat('patch', outcome)) return mayRepeat(repeating, outcome)
    // Where a collection takes no keys, a create that may have been carried out is not sent again.
    return mayRepeat('create', outcome) && (await this.#takesKeys(target.slice(0, -path.length), path))
  }

  /** Asked only when it matters. Without an answer, `false`. */
  async #takesKeys(version: string, path: string): Promise<boolean> {
    this.#unkeyed ??= this.#send(version, { method: 'GET', path: '', repeating: 'read' }).then(({ body }) => {
      const index = body?.data as { without_idempotency_key?: readonly string[] } | undefined
      return index?.without_idempotency_key ?? []
    })
    const collection = path.replace(/^(\/[^/]+)\/[^/]+/, '$1/{id}')
    return this.#unkeyed.then(
      (unkeyed) => !unkeyed.some((one) => one.endsWith(collection)),
      () => {
        this.#unkeyed = undefined
        return false
      },
    )
  }

  async #try(target: string, call: Call, end: number, tries: number): Promise<Reply | Error> {
    const time = Math.min(mostMsPerTry, end - Date.now())
    const timeout = AbortSignal.timeout(Math.max(time, 1))
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout
    let status: number | null = null
    try {
      const response = await this.#fetch(target, call, signal)
      status = response.status
      const text = await response.text()
      if (response.status === 204) return { body: null, headers: response.headers, tries }
      const body = response.ok ? readBody(text) : null
      if (body) return { body, headers: response.headers, tries }
      return this.#refusal(call, response, text, tries)
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason
      const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } }
      const why = timeout.aborted ? `no answer within ${time} ms` : (cause?.code ?? cause?.message ?? message)
      return new CallError(`${callText(call)}: ${why} (${triesText(tries)})`, tries, status, error)
    }
  }

  async #fetch(target: string, call: Call, signal?: AbortSignal): Promise<Response> {
    const { key, token, fetch: send = fetch } = this.options
    const credentials = token ? await token() : key
    const response = await send(target, {
      method: call.method,
      headers: {
        accept: 'application/json',
        ...(credentials && { authorization: `Bearer ${credentials}` }),
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      // A write that is redirected would become a GET.
      redirect: call.method === 'GET' ? 'follow' : 'manual',
      ...(signal && { signal }),
    })
    tellDeprecation(target, response.headers, this.url, this.options.onDeprecated)
    return response
  }

  /** What an answer says that is not the one asked for. */
  #refusal(call: Call, { status, headers }: Response, text: string, tries: number): Error {
    const body = parse(text)
    if (isProblemBody(body)) return new ProblemError(callText(call), body, secondsToWait(headers), tries)
    const type = headers.get('content-type') ?? 'no type'
    const isCut = /json/.test(type) && body === undefined
    const what = isCut ? 'JSON that is cut off' : `${type}, not an answer of the API`
    const message = `${callText(call)}: ${status} with ${what} (${triesText(tries)}): ${text.slice(0, 200)}`
    // A cut answer is a connection that broke.
    return new CallError(message, tries, status, isCut ? new SyntaxError('cut off') : undefined)
  }
}

const callText = ({ method, path }: Call): string => `${method} ${path}`
const triesText = (tries: number): string => (tries === 1 ? '1 try' : `${tries} tries`)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const readBody = (text: string): Reply['body'] => {
  const body = parse(text)
  return isObject(body) && 'data' in body && isObject(body.data) ? (body as Reply['body']) : null
}
const isProblemBody = (body: unknown): body is ProblemBody =>
  isObject(body) && 'type' in body && 'title' in body && 'status' in body && 'instance' in body

const isRefused = (error: unknown, status: number): boolean =>
  error instanceof ProblemError && error.status === status

function mayRepeat(repeating: Repeating, error: Error): boolean {
  const isInProgress = repeating === 'create' && isProblemNamed(error, 'idempotency-in-progress')
  if (error instanceof ProblemError) return isInProgress || statusesToRepeat[repeating].includes(error.status)
  const { status, cause } = error as CallError
  if (cause === undefined) return status !== null && statusesToRepeat[repeating].includes(status)
  return repeating !== 'patch' || neverSent.test(causeText(cause))
}

const causeText = (cause: unknown): string => {
  const { message, code, cause: inner } = Object(cause)
  return `${code} ${message} ${Object(inner).code}`
}

/** `Retry-After`, in seconds or as a date. */
export const secondsToWait = (headers: Headers): number | null => {
  const text = headers.get('retry-after')
  if (text === null) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

/** Full jitter: clients that failed together do not come back together. */
export const pauseMs = (error: unknown, tries: number): number => {
  const asked = error instanceof ProblemError ? error.retryAfter : null
  return asked === null
    ? Math.random() * Math.min(mostPauseMs, leastPauseMs * 2 ** (tries - 1))
    : asked * 1000
}

/** Throws the signal's reason when it is aborted. */
export const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((done, fail) => {
    const abort = () => {
      clearTimeout(timer)
      fail(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      done()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
